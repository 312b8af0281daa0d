package behaviour

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
)

func badInput() []scene {
	informer := func() cache.SharedIndexInformer {
		return cache.NewSharedIndexInformer(newWorld("a").source(), &corev1.Pod{}, 0, cache.Indexers{})
	}
	return []scene{
		{name: "bad input/an informer without a source", rows: "nil-arguments", play: func(s *stage) {
			of := cache.NewSharedInformer(nil, &corev1.Pod{}, 0)
			s.start(of.RunWithContext)
			s.settle()
			s.say("synced: %v, logged: %v", of.HasSynced(), s.logged.Load() > 0)
		}},
		{name: "bad input/an informer without indexers", play: func(s *stage) {
			of := cache.NewSharedIndexInformer(newWorld("a").source(), &corev1.Pod{}, 0, nil)
			s.start(of.RunWithContext)
			s.settle()
			s.say("%v %d", of.HasSynced(), len(of.GetIndexer().GetIndexers()))
		}},
		{name: "bad input/nothing to set", play: func(s *stage) {
			of := informer()
			s.outcome("nil transform", of.SetTransform(nil))
			s.outcome("nil watch error handler", of.SetWatchErrorHandler(nil))
			s.outcome("nil indexers", of.AddIndexers(nil))
			s.start(of.RunWithContext)
			s.settle()
			s.say("%v", of.HasSynced())
		}},
		{name: "bad input/a negative period", play: func(s *stage) {
			of := cache.NewSharedInformer(newWorld("a").source(), &corev1.Pod{}, 0)
			r := &recorder{}
			_, err := of.AddEventHandlerWithResyncPeriod(r, -time.Second)
			s.outcome("add", err)
			s.start(of.RunWithContext)
			s.sleep(10 * time.Minute)
			s.tell("handler", r)
		}},
		{name: "bad input/a typed nil as a handler", rows: "nil-handler", play: func(s *stage) {
			var none *cache.ResourceEventHandlerFuncs
			of := informer()
			s.attempt("add", func() {
				_, err := of.AddEventHandler(none)
				s.say("added: %v", err == nil)
			})
		}},
		{name: "bad input/a reflector without a store", rows: "nil-arguments", play: func(s *stage) {
			r := cache.NewReflector(newWorld("a").source(), &corev1.Pod{}, nil, 0)
			s.start(r.RunWithContext)
			s.settle()
			s.say("logged: %v", s.logged.Load() > 0)
		}},
		{name: "bad input/Pop without a function", rows: "nil-arguments", play: func(s *stage) {
			q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			s.unless(q.Add(pod("a", "1")))
			s.attempt("pop", func() {
				_, err := q.Pop(nil)
				s.outcome("pop", err)
			})
		}},
		{name: "bad input/a lister without a store", rows: "nil-arguments", play: func(s *stage) {
			s.attempt("list", func() { s.outcome("list", cache.ListAll(nil, labels.Everything(), func(any) {})) })
		}},
		{name: "bad input/a wait for nil", play: func(s *stage) {
			s.attempt("wait", func() { s.say("%v", cache.WaitForCacheSync(nil, nil)) })
		}},
		{name: "bad input/two reflectors into one store", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			first, second := newWorld("a"), newWorld("b")
			s.start(cache.NewReflector(first.source(), &corev1.Pod{}, store, 0).RunWithContext)
			s.settle()
			s.start(cache.NewReflector(second.source(), &corev1.Pod{}, store, 0).RunWithContext)
			s.settle()
			s.say("%s", found(store.List(), nil))
			first.put("c", "x")
			s.settle()
			s.say("%s", found(store.List(), nil))
		}},
		{name: "bad input/a reflector run twice", play: func(s *stage) {
			w := newWorld("a")
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			r := cache.NewReflector(w.source(), &corev1.Pod{}, store, 0)
			stop := s.start(r.RunWithContext)
			s.settle()
			stop()
			w.put("b", "x")
			s.start(r.RunWithContext)
			s.settle()
			s.say("%s %q", found(store.List(), nil), r.LastSyncResourceVersion())
		}},
		{name: "bad input/a context that is done", play: func(s *stage) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			of := informer()
			of.RunWithContext(ctx)
			s.say("stopped: %v", of.IsStopped())
			s.say("%v", cache.WaitForNamedCacheSyncWithContext(ctx, of.HasSynced))
		}},
		{name: "bad input/objects of no type in a store", play: func(s *stage) {
			store := cache.NewStore(func(any) (string, error) { return "one key", nil })
			for _, o := range odd() {
				s.outcome("add "+o.name, store.Add(o.obj))
			}
			s.say("%d", len(store.List()))
		}},
		{name: "bad input/an index function that panics", rows: "index-error", play: func(s *stage) {
			ix := cache.NewIndexer(func(obj any) (string, error) { return show(obj), nil }, cache.Indexers{"is": byLabel})
			s.attempt("add a string", func() { s.outcome("add a string", ix.Add("text")) })
			s.outcome("add a pod", ix.Add(is(pod("a", "1"), "red")))
			s.say("%s", found(ix.ByIndex("is", "red")))
		}},
		{name: "bad input/nil in a list", play: func(s *stage) {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			s.attempt("replace", func() { s.outcome("replace", store.Replace([]any{pod("a", "1"), nil}, "1")) })
			s.say("%s", found(store.List(), nil))
		}},
	}
}
