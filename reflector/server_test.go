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

// configMap is what the tests on a server keep.
type configMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

var configMaps = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:                 "ConfigMap", Namespaced: true,
}

func named(name, value string) *configMap {
	return &configMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Data:       map[string]string{"v": value},
	}
}

// bench is a server, a store and a reflector between them, in a bubble.
type bench struct {
	t      *testing.T
	server *apitest.Server
	store  *indexer.Indexer[*configMap]
	r      *Reflector[*configMap]
	ctx    context.Context
	stop   func()

	mu   sync.Mutex
	errs []error
}

// onServer runs a test with a server that has the objects a and b.
func onServer(t *testing.T, o Options[*configMap], before func(*apitest.Server), test func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t}
		b.server = apitest.NewServer(apitest.Options{InMemory: true, Bare: true, Seed: 1, Resources: []apitest.Resource{{ResourceInfo: configMaps}}, Logger: slog.New(slog.DiscardHandler)})
		defer b.server.Close()
		apitest.Create(t, b.server, named("a", "1"))
		apitest.Create(t, b.server, named("b", "1"))
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

// has is what the store has, by name.
func (b *bench) has() map[string]string {
	all := map[string]string{}
	for object := range b.store.All() {
		all[object.Name] = object.Data["v"]
	}
	return all
}

// lasts lets time pass.
func (b *bench) lasts(d time.Duration) { time.Sleep(d) }

// settles waits until the store equals the server, for as long as it may take.
func (b *bench) settles(within time.Duration) {
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
		if maps.Equal(b.has(), want()) {
			return
		}
	}
	require.Equal(b.t, want(), b.has(), "%+v", b.r.State())
}

func (b *bench) reasons() (all []Reason) {
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

func TestTheStoreFollowsTheServer(t *testing.T) {
	for mode, o := range map[Mode]Options[*configMap]{WatchList: {}, List: {PreferList: true}} {
		onServer(t, o, nil, func(b *bench) {
			synctest.Wait()
			require.Equal(t, map[string]string{"a": "1", "b": "1"}, b.has())
			s := b.r.State()
			require.Equal(t, mode, s.Mode)
			require.Equal(t, Watching, s.Phase)
			require.NoError(t, s.Err)
			require.Equal(t, "configmaps", s.Name)
			apitest.Create(t, b.server, named("c", "1"))
			apitest.Modify(t, b.server, named("a", ""), func(c *configMap) { c.Data["v"] = "2" })
			apitest.Delete(t, b.server, named("b", ""))
			b.settles(time.Second)
			time.Sleep(time.Hour)
			b.settles(time.Second)
			require.Empty(t, b.reasons())
			require.NotZero(t, b.r.State().LastBookmark)
			require.Zero(t, b.r.State().Relists)
		})
	}
}
