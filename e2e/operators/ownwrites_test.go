package operators

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// marker is a controller that annotates each config map once, and reads it afterwards.
type marker struct {
	*controller.Controller
	mark  string
	maps  *informer.SharedInformer[*corev1.ConfigMap]
	write *rest.Resource[*corev1.ConfigMap]

	reconciles, written atomic.Int64
	// staleReads counts the reads by controller.Get that did not return what the reconcile
	// has written, and plainReads those by the Get of the informer.
	staleReads, plainReads atomic.Int64
}

func newMarker(mark string, factory *informer.Factory, client *rest.Client, notOwnWrites bool, namespaces ...string) *marker {
	m := &marker{mark: mark, write: rest.NewResource[*corev1.ConfigMap](client, configMaps)}
	if len(namespaces) == 1 {
		m.maps = informer.For(factory, m.write.Namespace(namespaces[0]), informer.Options[*corev1.ConfigMap]{})
	} else {
		m.maps = informer.ForNamespaces(factory, m.write, informer.Options[*corev1.ConfigMap]{}, namespaces...)
	}
	m.Controller = controller.New(mark, controller.Func(m.reconcile), controller.Options{MaxConcurrentReconciles: 4})
	if watch := controller.For(m.Controller, m.maps); notOwnWrites {
		controller.NotOwnWrites(watch)
	}
	return m
}

func (m *marker) reconcile(ctx context.Context, r controller.Request) (controller.Result, error) {
	m.reconciles.Add(1)
	object, ok, err := controller.Get(ctx, m.maps, r.String())
	switch {
	case err != nil:
		return controller.Result{}, err
	case !ok:
		return controller.Result{}, errors.New("not found")
	case object.Annotations[m.mark] != "":
		return controller.Result{}, nil
	}
	changed := informer.Clone(object)
	metav1.SetMetaDataAnnotation(&changed.ObjectMeta, m.mark, "yes")
	made, err := m.write.Namespace(r.Namespace).MergePatch(ctx, object, changed, metav1.PatchOptions{})
	if err != nil {
		return controller.Result{}, err
	}
	m.written.Add(1)
	if plain, _ := m.maps.Get(r.String()); plain.ResourceVersion != made.ResourceVersion {
		m.plainReads.Add(1)
	}
	read, _, err := controller.Get(ctx, m.maps, r.String())
	if err == nil && read.ResourceVersion != made.ResourceVersion {
		m.staleReads.Add(1)
	}
	return controller.Result{}, err
}

// A read by controller.Get after a write of the same reconcile returns what was written. With
// NotOwnWrites the writes of a reconcile queue nothing, and those of other clients do. This
// holds for informers of one namespace and of several.
func TestReadsAfterOwnWrites(t *testing.T) {
	const objects = 100
	c := newCluster(t)
	several := []string{"n0", "n1", "n2", "n3"}
	for _, name := range append(several, shop) {
		c.namespace(name, nil)
		c.grant(name, configMaps, "list", "watch", "patch")
	}
	for i := range objects {
		create(c, configMaps, configMap(shop, fmt.Sprint("object-", i), i))
		create(c, configMaps, configMap(several[i%len(several)], fmt.Sprint("object-", i), i))
	}
	for i, test := range []struct {
		notOwnWrites bool
		namespaces   []string
		reconciles   int64
	}{
		{false, []string{shop}, 2 * objects},
		{true, []string{shop}, objects},
		{false, several, 2 * objects},
		{true, several, objects},
	} {
		t.Run(fmt.Sprintf("notOwnWrites=%t/namespaces=%d", test.notOwnWrites, len(test.namespaces)), func(t *testing.T) {
			client, _ := c.client(program)
			factory := informer.NewFactory(informer.FactoryOptions{})
			m := newMarker(fmt.Sprint("mark-", i), factory, client, test.notOwnWrites, test.namespaces...)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true}, m.Controller)
			}()
			c.eventually(func(now *assert.CollectT) {
				s := m.State()
				require.Equal(now, int64(objects), m.written.Load())
				require.GreaterOrEqual(now, m.reconciles.Load(), test.reconciles)
				require.True(now, s.Queued == 0 && len(s.Working) == 0 && s.Held == 0, "%+v", s)
			})
			// A write of another client in each namespace is reconciled after all own ones
			// have arrived.
			for i, namespace := range test.namespaces {
				other, err := rest.NewView[*corev1.ConfigMap](c.admin, configMaps).Namespace(namespace).Get(t.Context(), fmt.Sprint("object-", i), metav1.GetOptions{})
				require.NoError(t, err)
				other.Data["serial"] = m.mark
				update(c, configMaps, other)
			}
			want := test.reconciles + int64(len(test.namespaces))
			c.eventually(func(now *assert.CollectT) { require.GreaterOrEqual(now, m.reconciles.Load(), want) })
			cancel()
			require.NoError(t, <-ended)
			t.Logf("%d objects: %d reconciles, and %d after writes of another client; %d stale reads by controller.Get, %d by the informer's",
				objects, test.reconciles, m.reconciles.Load()-test.reconciles, m.staleReads.Load(), m.plainReads.Load())
			require.Zero(t, m.staleReads.Load())
			require.Equal(t, want, m.reconciles.Load())
		})
	}
}
