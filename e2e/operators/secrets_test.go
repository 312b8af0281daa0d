package operators

import (
	"context"
	"fmt"
	"strings"
	"sync"
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

// shop is the namespace of the operator.
const shop = "shop"

// operator copies the content of the Secret that a config map names into an annotation of
// the config map.
type operator struct {
	*cluster
	*controller.Controller
	requests *requests
	run      func() // runs the program until the end of the test

	reconciles atomic.Int64
	mu         sync.Mutex
	errs       []string
}

// absent is the copied content if there is no Secret.
const absent = "absent"

// secretSource returns what the operator reads Secrets from.
type secretSource func(*informer.Factory, *rest.Client) controller.Readable[*corev1.Secret]

func secretInformer(f *informer.Factory, client *rest.Client) controller.Readable[*corev1.Secret] {
	return informer.For(f, rest.NewView[*corev1.Secret](client, secrets).Namespace(shop), informer.Options[*corev1.Secret]{})
}

func secretBodies(f *informer.Factory, client *rest.Client) controller.Readable[*corev1.Secret] {
	return informer.ForBodies(f, rest.NewView[*corev1.Secret](client, secrets).Namespace(shop), informer.BodyOptions[*corev1.Secret]{})
}

// newOperator creates the operator with the Secrets that source returns.
func newOperator(c *cluster, source secretSource) *operator {
	o := &operator{cluster: c}
	var client *rest.Client
	client, o.requests = c.client(program)
	factory := informer.NewFactory(informer.FactoryOptions{})
	maps := informer.For(factory, rest.NewView[*corev1.ConfigMap](client, configMaps).Namespace(shop), informer.Options[*corev1.ConfigMap]{})
	secrets := source(factory, client)
	write := rest.NewResource[*corev1.ConfigMap](client, configMaps)
	o.Controller = controller.New("copies", controller.Func(func(ctx context.Context, r controller.Request) (controller.Result, error) {
		o.reconciles.Add(1)
		m, ok, err := controller.Get(ctx, maps, r.String())
		if err != nil || !ok {
			return controller.Result{}, err
		}
		content := absent
		secret, ok, err := controller.Get(ctx, secrets, shop+"/"+m.Data["secret"])
		if err != nil {
			o.mu.Lock()
			o.errs = append(o.errs, err.Error())
			o.mu.Unlock()
			return controller.Result{}, err
		}
		if ok {
			content = string(secret.Data["content"])
		}
		if m.Annotations["content"] == content {
			return controller.Result{}, nil
		}
		copied := informer.Clone(m)
		metav1.SetMetaDataAnnotation(&copied.ObjectMeta, "content", content)
		_, err = write.Namespace(shop).MergePatch(ctx, m, copied, metav1.PatchOptions{})
		return controller.Result{}, err
	}), controller.Options{})
	controller.NotOwnWrites(controller.For(o.Controller, maps))
	controller.Reads(o.Controller, secrets)
	o.run = func() { c.run(controller.RunOptions{Factory: factory}, o.Controller) }
	return o
}

// run runs a program until the end of the test.
func (c *cluster) run(options controller.RunOptions, controllers ...*controller.Controller) {
	c.t.Helper()
	options.NoSignals = true
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, options, controllers...) }()
	c.t.Cleanup(func() {
		cancel()
		require.NoError(c.t, <-ended)
	})
}

// copied waits until a config map has a content.
func (o *operator) copied(name, content string) {
	o.t.Helper()
	view := rest.NewView[*corev1.ConfigMap](o.admin, configMaps).Namespace(shop)
	o.eventually(func(now *assert.CollectT) {
		m, err := view.Get(o.t.Context(), name, metav1.GetOptions{})
		require.NoError(now, err)
		require.Equal(now, content, m.Annotations["content"], "%+v", o.State())
	})
}

// quiet waits until the controller has nothing to do.
func (o *operator) quiet() {
	o.t.Helper()
	o.eventually(func(now *assert.CollectT) {
		s := o.State()
		require.True(now, s.Queued == 0 && len(s.Working) == 0 && s.Held == 0 && s.RetryingCount == 0, "%+v", s)
	})
}

func secret(name, content string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: name}, Data: map[string][]byte{"content": []byte(content)}}
}

// A Secret that is created, updated, replaced by another one of its name, and deleted under
// a running operator is read with its new content each time. The operator has no mapping
// function and no index. With an informer it sends no get, with bodies one for each version.
func TestSecretReplacedUnderRunningOperator(t *testing.T) {
	for name, source := range map[string]secretSource{"informer": secretInformer, "bodies": secretBodies} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.namespace(shop, nil)
			c.grant(shop, configMaps, "list", "watch", "patch")
			rights := []string{"list", "watch"}
			if name == "bodies" {
				rights = append(rights, "get")
			}
			c.grant(shop, secrets, rights...)
			o := newOperator(c, source)
			o.run()

			m := configMap(shop, "a", 0)
			m.Data["secret"] = "tls"
			create(c, configMaps, m)
			o.copied("a", absent)
			made := create(c, secrets, secret("tls", "created"))
			o.copied("a", "created")
			made.Data["content"] = []byte("updated")
			update(c, secrets, made)
			o.copied("a", "updated")
			c.remove(secrets, shop, "tls")
			again := create(c, secrets, secret("tls", "replaced"))
			require.NotEqual(t, made.UID, again.UID)
			o.copied("a", "replaced")
			c.remove(secrets, shop, "tls")
			o.copied("a", absent)
			create(c, secrets, secret("tls", "created again"))
			o.copied("a", "created again")
			o.quiet()

			before, sent := o.reconciles.Load(), o.requests.count()
			for i := range 20 {
				other := create(c, secrets, secret(fmt.Sprintf("other-%d", i), "created"))
				other.Data["content"] = []byte("updated")
				update(c, secrets, other)
			}
			// The config map that names the last one is reconciled after all of them.
			last := configMap(shop, "last", 0)
			last.Data["secret"] = "other-19"
			create(c, configMaps, last)
			o.copied("last", "updated")
			o.quiet()
			require.LessOrEqual(t, o.reconciles.Load()-before, int64(2), "a Secret that no config map names queues nothing")

			gets := only(o.requests.since(0), "get", "secrets")
			if name == "informer" {
				require.Empty(t, gets)
			} else {
				require.LessOrEqual(t, len(only(o.requests.since(sent), "get", "secrets")), 1)
				require.LessOrEqual(t, len(gets), 6, "%v", gets)
				require.GreaterOrEqual(t, len(gets), 5)
			}
			t.Logf("%d reconciles; requests:\n%s", o.reconciles.Load(), summary(o.requests.since(0)))
			require.Empty(t, o.errs)
		})
	}
}

// Without the right to get, bodies cannot be read. The error says so, and the operator
// continues when it has the right.
func TestBodiesWithoutTheRightToGet(t *testing.T) {
	c := newCluster(t)
	c.namespace(shop, nil)
	c.grant(shop, configMaps, "list", "watch", "patch")
	c.grant(shop, secrets, "list", "watch")
	create(c, secrets, secret("tls", "hidden content"))
	m := configMap(shop, "a", 0)
	m.Data["secret"] = "tls"
	create(c, configMaps, m)
	o := newOperator(c, secretBodies)
	o.run()
	c.eventually(func(now *assert.CollectT) {
		s := o.State()
		require.NotEmpty(now, s.Retrying)
		require.ErrorContains(now, s.Retrying[0].Err, `cannot get resource "secrets" in API group "" in the namespace "shop"`)
		require.Equal(now, controller.Request{Namespace: shop, Name: "a"}, s.Retrying[0].Request)
	})
	c.revoke(shop, secrets, "list", "watch")
	c.grant(shop, secrets, "get", "list", "watch")
	o.copied("a", "hidden content")
	o.mu.Lock()
	defer o.mu.Unlock()
	require.NotContains(t, strings.Join(o.errs, "\n"), "hidden content")
}
