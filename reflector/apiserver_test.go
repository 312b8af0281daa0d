package reflector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/rest"
)

// configMap is the object of tests with a server.
type configMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

var configMaps = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:                 "ConfigMap", Namespaced: true,
}

func newConfigMap(name, value string) *configMap {
	return &configMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Data:       map[string]string{"v": value},
	}
}

// serverTest is a server and a reflector with a store, in a synctest bubble.
type serverTest struct {
	t      *testing.T
	server *apitest.Server
	store  *indexer.Indexer[*configMap]
	r      *Reflector[*configMap]
	ctx    context.Context
	stop   func()

	mu   sync.Mutex
	errs []error
}

// withServer runs a test with a server that has the objects a and b.
func withServer(t *testing.T, o Options[*configMap], before func(*apitest.Server), test func(*serverTest)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &serverTest{t: t}
		b.server = apitest.NewServer(apitest.Options{InMemory: true, NoBuiltinKinds: true, Seed: 1, Resources: []apitest.Resource{{ResourceInfo: configMaps}}, Logger: slog.New(slog.DiscardHandler)})
		defer b.server.Close()
		apitest.Create(t, b.server, newConfigMap("a", "1"))
		apitest.Create(t, b.server, newConfigMap("b", "1"))
		if before != nil {
			before(b.server)
		}
		config := b.server.Config()
		client, err := rest.New(config)
		require.NoError(t, err)
		defer client.Close()
		b.store = indexer.New(indexer.Options[*configMap]{MetaFunc: func(c *configMap) (types.UID, string) { return c.UID, c.ResourceVersion }})
		o.WatchErrorHandler = func(_ context.Context, err error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.errs = append(b.errs, err)
		}
		b.r = New(rest.NewView[*configMap](client, configMaps), b.store, o)
		var running sync.WaitGroup
		b.ctx, b.stop = context.WithCancel(t.Context())
		defer running.Wait()
		defer b.stop()
		running.Go(func() {
			if err := b.r.Run(b.ctx); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
		test(b)
	})
}

// stored returns the values in the store, by name.
func (b *serverTest) stored() map[string]string {
	all := map[string]string{}
	for object := range b.store.All() {
		all[object.Name] = object.Data["v"]
	}
	return all
}

// sleep waits in the bubble of the test.
func (b *serverTest) sleep(d time.Duration) { time.Sleep(d) }

// waitForSync waits until the store equals the server.
func (b *serverTest) waitForSync(within time.Duration) {
	b.t.Helper()
	want := func() map[string]string {
		all := map[string]string{}
		for _, object := range apitest.List(b.t, b.server, &configMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}}) {
			all[object.Name] = object.Data["v"]
		}
		return all
	}
	for begun := time.Now(); time.Since(begun) < within; time.Sleep(100 * time.Millisecond) {
		synctest.Wait()
		if maps.Equal(b.stored(), want()) {
			return
		}
	}
	require.Equal(b.t, want(), b.stored(), "%+v", b.r.State())
}

func (b *serverTest) reasons() (all []Reason) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, err := range b.errs {
		reason := Reason(fmt.Sprintf("not an Error: %v", err))
		if known := (*Error)(nil); errors.As(err, &known) {
			reason = known.Reason
		}
		all = append(all, reason)
	}
	return all
}

func TestStoreEqualsTheServer(t *testing.T) {
	for mode, o := range map[Mode]Options[*configMap]{ModeWatchList: {}, ModeList: {PreferList: true}} {
		withServer(t, o, nil, func(b *serverTest) {
			synctest.Wait()
			require.Equal(t, map[string]string{"a": "1", "b": "1"}, b.stored())
			s := b.r.State()
			require.Equal(t, mode, s.Mode)
			require.Equal(t, PhaseWatching, s.Phase)
			require.NoError(t, s.Err)
			require.Equal(t, "configmaps", s.Name)
			apitest.Create(t, b.server, newConfigMap("c", "1"))
			apitest.Modify(t, b.server, newConfigMap("a", ""), func(c *configMap) { c.Data["v"] = "2" })
			apitest.Delete(t, b.server, newConfigMap("b", ""))
			b.waitForSync(time.Second)
			time.Sleep(time.Hour)
			b.waitForSync(time.Second)
			require.Empty(t, b.reasons())
			require.NotZero(t, b.r.State().LastBookmark)
			require.Zero(t, b.r.State().Relists)
		})
	}
}
