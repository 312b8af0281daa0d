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

func others() []scene {
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	return []scene{
		{name: "expiration/of time", play: func(s *stage) {
			store := cache.NewTTLStore(cache.MetaNamespaceKeyFunc, time.Minute)
			s.unless(store.Add(pod("a", "1")))
			s.sleep(40 * time.Second)
			s.unless(store.Add(pod("b", "2")))
			s.say("%s", found(store.List(), nil))
			s.sleep(40 * time.Second)
			s.say("%s", found(store.List(), nil))
			s.say("%s", got(store.GetByKey("ns/a")))
			s.say("%s", got(store.Get(pod("b", "9"))))
			s.unless(store.Update(pod("b", "3")))
			s.sleep(40 * time.Second)
			s.say("%s", got(store.GetByKey("ns/b")))
			s.sleep(40 * time.Second)
			s.say("%s", got(store.GetByKey("ns/b")))
			s.unless(store.Replace([]any{pod("x", "1"), pod("y", "1")}, "5"))
			s.say("%s %q", found(store.List(), nil), sorted(store.ListKeys()))
			s.unless(store.Delete(pod("x", "1")))
			s.say("%s", found(store.List(), nil))
			s.outcome("wrong", store.Add(7))
			s.outcome("resync", store.Resync())
		}},
		{name: "expiration/by policy", play: func(s *stage) {
			store := cache.NewExpirationStore(cache.MetaNamespaceKeyFunc, &cache.TTLPolicy{TTL: time.Minute, Clock: clock.RealClock{}})
			s.unless(store.Add(pod("a", "1")))
			s.say("%s", found(store.List(), nil))
			s.sleep(2 * time.Minute)
			s.say("%s", found(store.List(), nil))
			gone := make(chan string, 10)
			fake := cache.NewFakeExpirationStore(cache.MetaNamespaceKeyFunc, gone, &cache.FakeExpirationPolicy{NeverExpire: sets.New("ns/stays"), RetrieveKeyFunc: func(obj any) (string, error) {
				return cache.MetaNamespaceKeyFunc(obj.(*cache.TimestampedEntry).Obj)
			}}, clock.RealClock{})
			s.unless(fake.Add(pod("stays", "1")))
			s.unless(fake.Add(pod("goes", "1")))
			s.say("%s", found(fake.List(), nil))
			s.say("%s", got(fake.GetByKey("ns/goes")))
			s.settle()
			s.say("%d: %s", len(gone), <-gone)
		}},
		{name: "expiration/keys", rows: "expired-keys", play: func(s *stage) {
			store := cache.NewTTLStore(cache.MetaNamespaceKeyFunc, time.Minute)
			s.unless(store.Add(pod("a", "1")))
			s.say("%q", store.ListKeys())
			s.sleep(2 * time.Minute)
			s.say("%q", store.ListKeys())
			s.say("%s", found(store.List(), nil))
			s.say("%q", store.ListKeys())
		}},
		{name: "expiration/no time", play: func(s *stage) {
			policy := &cache.TTLPolicy{Clock: clock.RealClock{}}
			s.say("%v", policy.IsExpired(&cache.TimestampedEntry{Obj: 1, Timestamp: time.Now().Add(-time.Hour)}))
			policy.TTL = time.Minute
			s.say("%v", policy.IsExpired(&cache.TimestampedEntry{Obj: 1, Timestamp: time.Now().Add(-time.Hour)}))
		}},
		{name: "expiration/version", rows: "expired-version", play: func(s *stage) {
			store := cache.NewTTLStore(cache.MetaNamespaceKeyFunc, time.Minute)
			s.unless(store.Replace([]any{pod("a", "1")}, "5"))
			s.say("%q", store.LastStoreSyncResourceVersion())
			s.unless(store.Add(pod("b", "7")))
			s.say("after an Add: %q", store.LastStoreSyncResourceVersion())
		}},
		{name: "undelta", play: func(s *stage) {
			u := cache.NewUndeltaStore(func(objs []any) { s.say("pushed %s", found(objs, nil)) }, cache.MetaNamespaceKeyFunc)
			s.unless(u.Add(pod("a", "1")))
			s.unless(u.Update(pod("b", "2")))
			s.unless(u.Delete(pod("a", "3")))
			s.unless(u.Replace([]any{pod("x", "1")}, "5"))
			s.outcome("wrong", u.Add(7))
			s.say("%s", found(u.List(), nil))
		}},
		{name: "fake store", play: func(s *stage) {
			empty := &cache.FakeCustomStore{}
			s.outcome("add", empty.Add(1))
			s.say("%v %v %q", empty.List(), empty.ListKeys(), empty.LastStoreSyncResourceVersion())
			s.say("%s", got(empty.Get(1)))
			empty.Bookmark("1")
			added := 0
			set := &cache.FakeCustomStore{AddFunc: func(any) error { added++; return nil }, ListFunc: func() []any { return []any{"x"} }}
			s.unless(set.Add(1))
			s.say("%d %v", added, set.List())
		}},
		{name: "mutation cache", play: func(s *stage) {
			store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel})
			s.unless(store.Add(is(pod("a", "5"), "old")))
			m := cache.NewIntegerResourceVersionMutationCache(klog.Background(), store, store, time.Minute, false)
			s.say("%s", got(m.GetByKey("ns/a")))
			m.Mutation(is(pod("a", "7"), "mine"))
			s.say("%s", got(m.GetByKey("ns/a")))
			objs, err := m.ByIndex("is", "mine")
			s.say("%s", found(objs, err))
			objs, err = m.ByIndex("is", "old")
			s.say("%s", found(objs, err))
			s.unless(store.Update(is(pod("a", "9"), "newer")))
			s.say("%s", got(m.GetByKey("ns/a")))
			m.Mutation(pod("added", "10"))
			s.say("%s", got(m.GetByKey("ns/added")))
			m.Mutation(is(pod("a", "12"), "mine again"))
			s.sleep(2 * time.Minute)
			s.say("%s", got(m.GetByKey("ns/a")))
		}},
		{name: "mutation cache/with adds", rows: "mutation-cache-adds", play: func(s *stage) {
			store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel})
			m := cache.NewIntegerResourceVersionMutationCacheWithOptions(klog.Background(), store, cache.MutationCacheOptions{Indexer: store, IncludeAdds: true})
			m.Mutation(is(pod("added", "10"), "mine"))
			s.say("%s", got(m.GetByKey("ns/added")))
			objs, err := m.ByIndex("is", "mine")
			s.say("%s", found(objs, err))
			m.OnDelete(pod("added", "11"))
			s.say("%s", got(m.GetByKey("ns/added")))
			m.Mutation(pod("b", "12"))
			m.OnAddOrUpdate(pod("b", "13"))
			s.say("%s", got(m.GetByKey("ns/b")))
		}},
		{name: "mutation cache/what has moved on", rows: "mutation-cache-moved", play: func(s *stage) {
			store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"is": byLabel})
			m := cache.NewIntegerResourceVersionMutationCacheWithOptions(klog.Background(), store, cache.MutationCacheOptions{Indexer: store, IncludeAdds: true})
			m.Mutation(is(pod("a", "10"), "mine"))
			s.unless(store.Add(is(pod("a", "11"), "theirs")))
			for _, value := range []string{"mine", "theirs"} {
				objs, err := m.ByIndex("is", value)
				s.say("%s", found(objs, err))
			}
			objs, err := m.ByIndex("is", "mine")
			s.say("%s", found(objs, err))
		}},
		{name: "mutation cache/versions that are no numbers", rows: "version-no-number", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			s.unless(store.Add(pod("a", "x")))
			m := cache.NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, time.Minute, false)
			s.attempt("get", func() {
				m.Mutation(is(pod("a", "y"), "mine"))
				s.say("%s", got(m.GetByKey("ns/a")))
			})
		}},
		{name: "mutation detector", play: func(s *stage) {
			d := cache.NewCacheMutationDetector("name")
			d.AddObject(pod("a", "1"))
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() { d.Run(stop); close(ended) }()
			s.settle()
			close(stop)
			<-ended
			s.say("ended")
		}},
		{name: "informer names", play: func(s *stage) {
			cache.ResetInformerNamesForTesting()
			defer cache.ResetInformerNamesForTesting()
			name, err := cache.NewInformerName("one")
			s.outcome("first", err)
			_, err = cache.NewInformerName("one")
			s.outcome("taken", err)
			_, err = cache.NewInformerName("")
			s.outcome("empty", err)
			id, again := name.WithResource(pods), name.WithResource(pods)
			s.say("%v %v %q %v %q", id.Reserved(), again.Reserved(), id.Name(), id.GroupVersionResource(), name.Name())
			name.Release()
			s.say("%v", id.Reserved())
			_, err = cache.NewInformerName("one")
			s.outcome("after its release", err)
			s.say("%v %q", cache.InformerNameAndResource{}.Reserved(), cache.InformerNameAndResource{}.Name())
		}},
		{name: "informer metrics", play: func(s *stage) {
			cache.ResetInformerNamesForTesting()
			defer cache.ResetInformerNamesForTesting()
			name, err := cache.NewInformerName("one")
			s.unless(err)
			m := &informerMeasures{measures{values: map[string]float64{}}}
			w := newWorld("a", "b")
			informer := cache.NewSharedIndexInformerWithOptions(w.source(), &corev1.Pod{}, cache.SharedIndexInformerOptions{Identifier: name.WithResource(pods), InformerMetricsProvider: m})
			s.start(informer.RunWithContext)
			s.settle()
			w.put("a", "x")
			w.put("c", "x")
			s.settle()
			m.mu.Lock()
			defer m.mu.Unlock()
			s.say("queued: %v, version: %v, latencies seen: %v", m.values["queued"], m.values["version"], m.values["latency"] > 0)
		}},
		{name: "list watch/functions", play: func(s *stage) {
			s.listWatch()
		}},
		{name: "list watch/with a context", play: func(s *stage) {
			w := newWorld("a")
			with := cache.ToListerWatcherWithContext(w.source())
			list, err := with.ListWithContext(context.Background(), listOptions{})
			s.say("%T %s", list, failed(err))
			stream, err := with.WatchWithContext(context.Background(), listOptions{})
			s.say("%v %s", stream != nil, failed(err))
			list, err = cache.ToListerWithContext(w.source()).ListWithContext(context.Background(), listOptions{})
			s.say("%T %s", list, failed(err))
			stream, err = cache.ToWatcherWithContext(w.source()).WatchWithContext(context.Background(), listOptions{})
			s.say("%v %s", stream != nil, failed(err))
		}},
		{name: "list watch/its client's word on streams", play: func(s *stage) {
			type unsupporting interface{ IsWatchListSemanticsUnSupported() bool }
			lw := &cache.ListWatch{}
			for name, client := range inOrder(map[string]any{"no word": 7, "cannot": cannot{true}, "can": cannot{false}, "nil": nil}) {
				of := cache.ToListWatcherWithWatchListSemantics(lw, client)
				u, ok := of.(unsupporting)
				s.say("%s: %v", name, ok && u.IsWatchListSemanticsUnSupported())
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
