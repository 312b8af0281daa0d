package behaviour

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
)

func badInput() []testCase {
	informer := func() cache.SharedIndexInformer {
		return newSharedIndexInformer(newFakeServer("a").source(), &corev1.Pod{}, 0, cache.Indexers{})
	}
	return []testCase{
		{name: "bad input/an informer without a source", rows: "nil-arguments", run: func(s *scenario) {
			of := newSharedInformer(nil, &corev1.Pod{}, 0)
			s.start(of.RunWithContext)
			s.settle()
			s.printf("synced: %v, logged: %v", of.HasSynced(), s.logged.Load() > 0)
		}},
		{name: "bad input/an informer without indexers", run: func(s *scenario) {
			of := newSharedIndexInformer(newFakeServer("a").source(), &corev1.Pod{}, 0, nil)
			s.start(of.RunWithContext)
			s.settle()
			s.printf("%v %d", of.HasSynced(), len(of.GetIndexer().GetIndexers()))
		}},
		{name: "bad input/nil arguments of setters", run: func(s *scenario) {
			of := informer()
			s.outcome("nil transform", of.SetTransform(nil))
			s.outcome("nil watch error handler", of.SetWatchErrorHandler(nil))
			s.outcome("nil indexers", of.AddIndexers(nil))
			s.start(of.RunWithContext)
			s.settle()
			s.printf("%v", of.HasSynced())
		}},
		{name: "bad input/a negative period", run: func(s *scenario) {
			of := newSharedInformer(newFakeServer("a").source(), &corev1.Pod{}, 0)
			r := &recorder{}
			_, err := of.AddEventHandlerWithResyncPeriod(r, -time.Second)
			s.outcome("add", err)
			s.start(of.RunWithContext)
			s.sleep(10 * time.Minute)
			s.printEvents("handler", r)
		}},
		{name: "bad input/a typed nil as a handler", rows: "nil-handler", run: func(s *scenario) {
			var none *cache.ResourceEventHandlerFuncs
			of := informer()
			s.attempt("add", func() {
				_, err := of.AddEventHandler(none)
				s.printf("added: %v", err == nil)
			})
		}},
		{name: "bad input/a reflector without a store", rows: "nil-arguments", run: func(s *scenario) {
			r := cache.NewReflector(newFakeServer("a").source(), &corev1.Pod{}, nil, 0)
			s.start(r.RunWithContext)
			s.settle()
			s.printf("logged: %v", s.logged.Load() > 0)
		}},
		{name: "bad input/Pop without a function", rows: "nil-arguments", run: func(s *scenario) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			s.check(q.Add(pod("a", "1")))
			s.attempt("pop", func() {
				_, err := q.Pop(nil)
				s.outcome("pop", err)
			})
		}},
		{name: "bad input/a lister without a store", rows: "nil-arguments", run: func(s *scenario) {
			s.attempt("list", func() { s.outcome("list", cache.ListAll(nil, labels.Everything(), func(any) {})) })
		}},
		{name: "bad input/a wait for nil", run: func(s *scenario) {
			s.attempt("wait", func() { s.printf("%v", cache.WaitForCacheSync(nil, nil)) })
		}},
		{name: "bad input/two reflectors into one store", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			first, second := newFakeServer("a"), newFakeServer("b")
			s.start(cache.NewReflector(first.source(), &corev1.Pod{}, store, 0).RunWithContext)
			s.settle()
			s.start(cache.NewReflector(second.source(), &corev1.Pod{}, store, 0).RunWithContext)
			s.settle()
			s.printf("%s", found(store.List(), nil))
			first.put("c", "x")
			s.settle()
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "bad input/a reflector run twice", run: func(s *scenario) {
			w := newFakeServer("a")
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			r := cache.NewReflector(w.source(), &corev1.Pod{}, store, 0)
			stop := s.start(r.RunWithContext)
			s.settle()
			stop()
			w.put("b", "x")
			s.start(r.RunWithContext)
			s.settle()
			s.printf("%s %q", found(store.List(), nil), r.LastSyncResourceVersion())
		}},
		{name: "bad input/a context that is done", run: func(s *scenario) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			of := informer()
			of.RunWithContext(ctx)
			s.printf("stopped: %v", of.IsStopped())
			s.printf("%v", cache.WaitForNamedCacheSyncWithContext(ctx, of.HasSynced))
		}},
		{name: "bad input/values that are not objects in a store", run: func(s *scenario) {
			store := cache.NewStore(func(any) (string, error) { return "one key", nil })
			for _, o := range oddObjects() {
				s.outcome("add "+o.name, store.Add(o.obj))
			}
			s.printf("%d", len(store.List()))
		}},
		{name: "bad input/an index function that panics", rows: "index-error", run: func(s *scenario) {
			ix := cache.NewIndexer(func(obj any) (string, error) { return show(obj), nil }, cache.Indexers{"is": byLabel})
			s.attempt("add a string", func() { s.outcome("add a string", ix.Add("text")) })
			s.outcome("add a pod", ix.Add(labeled(pod("a", "1"), "red")))
			s.printf("%s", found(ix.ByIndex("is", "red")))
		}},
		{name: "bad input/nil in a list", run: func(s *scenario) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			s.attempt("replace", func() { s.outcome("replace", store.Replace([]any{pod("a", "1"), nil}, "1")) })
			s.printf("%s", found(store.List(), nil))
		}},
	}
}
