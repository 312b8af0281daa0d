package reflector

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/rest"
)

// objects is a store that has the current objects.
type objects struct {
	mu    sync.Mutex
	byKey map[string]stack.Object
}

func (o *objects) Add(object stack.Object) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byKey[stack.Key(object)] = object
	return nil
}

func (o *objects) Update(object stack.Object) error { return o.Add(object) }

func (o *objects) Delete(object stack.Object) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.byKey, stack.Key(object))
	return nil
}

func (o *objects) Replace(items iter.Seq2[stack.Object, error], version func() string) error {
	all := map[string]stack.Object{}
	for item, err := range items {
		if err != nil {
			return err
		}
		all[stack.Key(item)] = item
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byKey = all
	return nil
}

func (o *objects) Bookmark(string) {}
func (o *objects) Resync() error   { return nil }

// difference describes the first object that is not equal in the store and in the server.
func (o *objects) difference(server []stack.Object) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	left := maps.Clone(o.byKey)
	for _, want := range server {
		key := stack.Key(want)
		switch got := left[key]; {
		case got == nil:
			return key + " is missing"
		case got.ResourceVersion != want.ResourceVersion:
			return fmt.Sprintf("%s has the version %s, want %s", key, got.ResourceVersion, want.ResourceVersion)
		}
		delete(left, key)
	}
	if len(left) > 0 {
		return slices.Min(slices.Collect(maps.Keys(left))) + " has been deleted in the server"
	}
	return ""
}

// view returns the library's ListerWatcher of the ConfigMaps of a server.
func view(t *judge.T, server *apitest.Server) stack.ListerWatcher {
	client, err := rest.New(server.Config())
	if err != nil {
		t.Fatalf("connect to the server of the check: %v", err)
	}
	t.Cleanup(client.Close)
	info := rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespaced: true}
	return rest.NewView[stack.Object](client, info)
}

// configMap is an object to create.
func configMap(name string) stack.Object {
	return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
}

func checkServer(t *judge.T, parts stack.Parts) {
	for _, stream := range []bool{false, true} {
		server := t.Server(apitest.Options{})
		apitest.Seed(t, server, 20, func(i int) stack.Object { return configMap(fmt.Sprintf("seed-%d", i)) })
		source, store := view(t, server), &objects{}
		backoff := func() stack.Backoff { return parts.NewBackoff(800*time.Millisecond, 30*time.Second) }
		reflector := parts.NewReflector(source, store, stack.ReflectorOptions{
			Stream: stream, Silence: silence, Backoff: backoff(),
			Follow: func(store stack.Store) stack.Follower { return parts.NewFollower(source, store, backoff(), silence) },
		})
		if reflector == nil {
			t.Fatalf("NewReflector returns nil")
		}
		ctx, cancel := context.WithCancel(t.Context())
		t.Go("Run", func() { _ = reflector.Run(ctx) })
		equal := func(after string) {
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			if difference := store.difference(apitest.List(t, server, &stack.ConfigMap{})); difference != "" {
				t.Fatalf("Stream %v, %s: the store is not that of the server: %s", stream, after, difference)
			}
		}
		equal("20 objects")
		elsewhere := configMap("seed-1")
		elsewhere.Namespace = "elsewhere"
		apitest.Create(t, server, elsewhere)
		apitest.Create(t, server, configMap("new"))
		apitest.Delete(t, server, configMap("seed-3"))
		equal("two objects created, and one deleted")
		server.Stop()
		apitest.Delete(t, server, configMap("seed-4"))
		apitest.Create(t, server, configMap("newer"))
		server.Compact()
		time.Sleep(time.Minute)
		server.Start()
		equal("a minute of refused connections, in which an object is deleted and the history compacted (410)")
		cancel()
		synctest.Wait()
	}
}
