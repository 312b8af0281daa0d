package behaviour

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

func others() []testCase {
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	return []testCase{
		{name: "errors/texts", rows: "error-text", run: func(s *scenario) {
			store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"one": cache.MetaNamespaceIndexFunc})
			_, err := store.ByIndex("two", "x")
			s.printf("%v", err)
			s.printf("%v", store.AddIndexers(cache.Indexers{"one": cache.MetaNamespaceIndexFunc}))
			_, _, err = cache.SplitMetaNamespaceKey("a/b/c")
			s.printf("%v", err)
			_, err = cache.MetaNamespaceKeyFunc(7)
			s.printf("%v", err)
		}},
		{name: "expiration/after a time", run: func(s *scenario) {
			store := cache.NewTTLStore(cache.MetaNamespaceKeyFunc, time.Minute)
			s.check(store.Add(pod("a", "1")))
			s.sleep(40 * time.Second)
			s.check(store.Add(pod("b", "2")))
			s.printf("%s", found(store.List(), nil))
			s.sleep(40 * time.Second)
			s.printf("%s", found(store.List(), nil))
			s.printf("%s", got(store.GetByKey("ns/a")))
			s.printf("%s", got(store.Get(pod("b", "9"))))
			s.check(store.Update(pod("b", "3")))
			s.sleep(40 * time.Second)
			s.printf("%s", got(store.GetByKey("ns/b")))
			s.sleep(40 * time.Second)
			s.printf("%s", got(store.GetByKey("ns/b")))
			s.check(store.Replace([]any{pod("x", "1"), pod("y", "1")}, "5"))
			s.printf("%s %q", found(store.List(), nil), sorted(store.ListKeys()))
			s.check(store.Delete(pod("x", "1")))
			s.printf("%s", found(store.List(), nil))
			s.outcome("wrong", store.Add(7))
			s.outcome("resync", store.Resync())
		}},
		{name: "expiration/by policy", run: func(s *scenario) {
			store := cache.NewExpirationStore(cache.MetaNamespaceKeyFunc, &cache.TTLPolicy{TTL: time.Minute, Clock: clock.RealClock{}})
			s.check(store.Add(pod("a", "1")))
			s.printf("%s", found(store.List(), nil))
			s.sleep(2 * time.Minute)
			s.printf("%s", found(store.List(), nil))
			gone := make(chan string, 10)
			fake := cache.NewFakeExpirationStore(cache.MetaNamespaceKeyFunc, gone, &cache.FakeExpirationPolicy{NeverExpire: sets.New("ns/stays"), RetrieveKeyFunc: func(obj any) (string, error) {
				return cache.MetaNamespaceKeyFunc(obj.(*cache.TimestampedEntry).Obj)
			}}, clock.RealClock{})
			s.check(fake.Add(pod("stays", "1")))
			s.check(fake.Add(pod("goes", "1")))
			s.printf("%s", found(fake.List(), nil))
			s.printf("%s", got(fake.GetByKey("ns/goes")))
			s.settle()
			s.printf("%d: %s", len(gone), <-gone)
		}},
		{name: "expiration/keys", rows: "expired-keys", run: func(s *scenario) {
			store := cache.NewTTLStore(cache.MetaNamespaceKeyFunc, time.Minute)
			s.check(store.Add(pod("a", "1")))
			s.printf("%q", store.ListKeys())
			s.sleep(2 * time.Minute)
			s.printf("%q", store.ListKeys())
			s.printf("%s", found(store.List(), nil))
			s.printf("%q", store.ListKeys())
		}},
		{name: "expiration/TTL of zero", run: func(s *scenario) {
			policy := &cache.TTLPolicy{Clock: clock.RealClock{}}
			s.printf("%v", policy.IsExpired(&cache.TimestampedEntry{Obj: 1, Timestamp: time.Now().Add(-time.Hour)}))
			policy.TTL = time.Minute
			s.printf("%v", policy.IsExpired(&cache.TimestampedEntry{Obj: 1, Timestamp: time.Now().Add(-time.Hour)}))
		}},
		{name: "expiration/version", rows: "expired-version", run: func(s *scenario) {
			store := cache.NewTTLStore(cache.MetaNamespaceKeyFunc, time.Minute)
			s.check(store.Replace([]any{pod("a", "1")}, "5"))
			s.printf("%q", store.LastStoreSyncResourceVersion())
			s.check(store.Add(pod("b", "7")))
			s.printf("after an Add: %q", store.LastStoreSyncResourceVersion())
		}},
		{name: "undelta", run: func(s *scenario) {
			u := cache.NewUndeltaStore(func(objs []any) { s.printf("pushed %s", found(objs, nil)) }, cache.MetaNamespaceKeyFunc)
			s.check(u.Add(pod("a", "1")))
			s.check(u.Update(pod("b", "2")))
			s.check(u.Delete(pod("a", "3")))
			s.check(u.Replace([]any{pod("x", "1")}, "5"))
			s.outcome("wrong", u.Add(7))
			s.printf("%s", found(u.List(), nil))
		}},
		{name: "fake store", run: func(s *scenario) {
			empty := &cache.FakeCustomStore{}
			s.outcome("add", empty.Add(1))
			s.printf("%v %v %q", empty.List(), empty.ListKeys(), empty.LastStoreSyncResourceVersion())
			s.printf("%s", got(empty.Get(1)))
			empty.Bookmark("1")
			added := 0
			set := &cache.FakeCustomStore{AddFunc: func(any) error { added++; return nil }, ListFunc: func() []any { return []any{"x"} }}
			s.check(set.Add(1))
			s.printf("%d %v", added, set.List())
		}},
		{name: "mutation cache", run: func(s *scenario) {
			store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel})
			s.check(store.Add(labeled(pod("a", "5"), "old")))
			m := cache.NewIntegerResourceVersionMutationCache(klog.Background(), store, store, time.Minute, false)
			s.printf("%s", got(m.GetByKey("ns/a")))
			m.Mutation(labeled(pod("a", "7"), "mine"))
			s.printf("%s", got(m.GetByKey("ns/a")))
			objs, err := m.ByIndex("is", "mine")
			s.printf("%s", found(objs, err))
			objs, err = m.ByIndex("is", "old")
			s.printf("%s", found(objs, err))
			s.check(store.Update(labeled(pod("a", "9"), "newer")))
			s.printf("%s", got(m.GetByKey("ns/a")))
			m.Mutation(pod("added", "10"))
			s.printf("%s", got(m.GetByKey("ns/added")))
			m.Mutation(labeled(pod("a", "12"), "mine again"))
			s.sleep(2 * time.Minute)
			s.printf("%s", got(m.GetByKey("ns/a")))
		}},
		{name: "mutation cache/with adds", rows: "mutation-cache-adds", run: func(s *scenario) {
			store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel})
			m := cache.NewIntegerResourceVersionMutationCacheWithOptions(klog.Background(), store, cache.MutationCacheOptions{Indexer: store, IncludeAdds: true})
			m.Mutation(labeled(pod("added", "10"), "mine"))
			s.printf("%s", got(m.GetByKey("ns/added")))
			objs, err := m.ByIndex("is", "mine")
			s.printf("%s", found(objs, err))
			m.OnDelete(pod("added", "11"))
			s.printf("%s", got(m.GetByKey("ns/added")))
			m.Mutation(pod("b", "12"))
			m.OnAddOrUpdate(pod("b", "13"))
			s.printf("%s", got(m.GetByKey("ns/b")))
		}},
		{name: "mutation cache/an object that the store has in a newer version", rows: "mutation-cache-moved", run: func(s *scenario) {
			store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel})
			m := cache.NewIntegerResourceVersionMutationCacheWithOptions(klog.Background(), store, cache.MutationCacheOptions{Indexer: store, IncludeAdds: true})
			m.Mutation(labeled(pod("a", "10"), "mine"))
			s.check(store.Add(labeled(pod("a", "11"), "theirs")))
			for _, value := range []string{"mine", "theirs"} {
				objs, err := m.ByIndex("is", value)
				s.printf("%s", found(objs, err))
			}
			objs, err := m.ByIndex("is", "mine")
			s.printf("%s", found(objs, err))
		}},
		{name: "mutation cache/versions that are not numbers", rows: "version-no-number", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			s.check(store.Add(pod("a", "x")))
			m := cache.NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, time.Minute, false)
			s.attempt("get", func() {
				m.Mutation(labeled(pod("a", "y"), "mine"))
				s.printf("%s", got(m.GetByKey("ns/a")))
			})
		}},
		{name: "mutation detector", run: func(s *scenario) {
			d := cache.NewCacheMutationDetector("name")
			d.AddObject(pod("a", "1"))
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() { d.Run(stop); close(ended) }()
			s.settle()
			close(stop)
			<-ended
			s.printf("ended")
		}},
		{name: "informer names", run: func(s *scenario) {
			cache.ResetInformerNamesForTesting()
			defer cache.ResetInformerNamesForTesting()
			name, err := cache.NewInformerName("one")
			s.outcome("first", err)
			_, err = cache.NewInformerName("one")
			s.outcome("taken", err)
			_, err = cache.NewInformerName("")
			s.outcome("empty", err)
			id, again := name.WithResource(pods), name.WithResource(pods)
			s.printf("%v %v %q %v %q", id.Reserved(), again.Reserved(), id.Name(), id.GroupVersionResource(), name.Name())
			name.Release()
			s.printf("%v", id.Reserved())
			_, err = cache.NewInformerName("one")
			s.outcome("after its release", err)
			s.printf("%v %q", cache.InformerNameAndResource{}.Reserved(), cache.InformerNameAndResource{}.Name())
		}},
		{name: "informer metrics", run: func(s *scenario) {
			cache.ResetInformerNamesForTesting()
			defer cache.ResetInformerNamesForTesting()
			name, err := cache.NewInformerName("one")
			s.check(err)
			m := &informerMeasures{measures{values: map[string]float64{}}}
			w := newFakeServer("a", "b")
			informer := cache.NewSharedIndexInformerWithOptions(w.source(), &corev1.Pod{}, cache.SharedIndexInformerOptions{Identifier: name.WithResource(pods), InformerMetricsProvider: m})
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "x")
			w.put("c", "x")
			s.settle()
			m.mu.Lock()
			defer m.mu.Unlock()
			s.printf("queued: %v, version: %v, latencies seen: %v", m.values["queued"], m.values["version"], m.values["latency"] > 0)
		}},
		{name: "list watch/functions", run: func(s *scenario) {
			s.listWatch()
		}},
		{name: "list watch/with a context", run: func(s *scenario) {
			w := newFakeServer("a")
			with := cache.ToListerWatcherWithContext(w.source())
			list, err := with.ListWithContext(context.Background(), listOptions{})
			s.printf("%T %s", list, failed(err))
			stream, err := with.WatchWithContext(context.Background(), listOptions{})
			s.printf("%v %s", stream != nil, failed(err))
			list, err = cache.ToListerWithContext(w.source()).ListWithContext(context.Background(), listOptions{})
			s.printf("%T %s", list, failed(err))
			stream, err = cache.ToWatcherWithContext(w.source()).WatchWithContext(context.Background(), listOptions{})
			s.printf("%v %s", stream != nil, failed(err))
		}},
		{name: "list watch/whether the client supports streams", run: func(s *scenario) {
			type unsupporting interface{ IsWatchListSemanticsUnSupported() bool }
			lw := &cache.ListWatch{}
			for name, client := range inOrder(map[string]any{"not reported": 7, "cannot": cannot{true}, "can": cannot{false}, "nil": nil}) {
				of := cache.ToListWatcherWithWatchListSemantics(lw, client)
				u, ok := of.(unsupporting)
				s.printf("%s: %v", name, ok && u.IsWatchListSemanticsUnSupported())
			}
		}},
	}
}

type cannot struct{ stream bool }

func (c cannot) IsWatchListSemanticsUnSupported() bool { return c.stream }

type informerMeasures struct{ measures }

func (m *informerMeasures) NewQueuedItemMetric(cache.InformerNameAndResource) cache.GaugeMetric {
	return measure{&m.measures, "queued"}
}
func (m *informerMeasures) NewProcessingLatencyMetric(cache.InformerNameAndResource) cache.HistogramMetric {
	return measure{&m.measures, "latency"}
}
func (m *informerMeasures) NewStoreResourceVersionMetric(cache.InformerNameAndResource) cache.GaugeMetric {
	return measure{&m.measures, "version"}
}
