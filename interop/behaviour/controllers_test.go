package behaviour

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// family is the five ways to the same.
func family(w *world, handler cache.ResourceEventHandler, resync time.Duration) map[string]func() (cache.Store, cache.Controller) {
	transform := func(obj any) (any, error) { return is(obj.(*corev1.Pod), "transformed"), nil }
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	return map[string]func() (cache.Store, cache.Controller){
		"NewInformer": func() (cache.Store, cache.Controller) {
			return cache.NewInformer(w.source(), &corev1.Pod{}, resync, handler)
		},
		"NewIndexerInformer": func() (cache.Store, cache.Controller) {
			return cache.NewIndexerInformer(w.source(), &corev1.Pod{}, resync, handler, indexers)
		},
		"NewTransformingInformer": func() (cache.Store, cache.Controller) {
			return cache.NewTransformingInformer(w.source(), &corev1.Pod{}, resync, handler, transform)
		},
		"NewTransformingIndexerInformer": func() (cache.Store, cache.Controller) {
			return cache.NewTransformingIndexerInformer(w.source(), &corev1.Pod{}, resync, handler, indexers, transform)
		},
		"NewInformerWithOptions": func() (cache.Store, cache.Controller) {
			return cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: w.source(), ObjectType: &corev1.Pod{}, Handler: handler, ResyncPeriod: resync, Indexers: indexers, Transform: transform})
		},
	}
}

// config is a controller of one's own, whose Process says what it is given.
func (s *stage) config(w *world, fails error) (cache.Store, cache.Controller) {
	store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
	var mu sync.Mutex
	return store, cache.New(&cache.Config{
		Queue:         cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: store, EmitDeltaTypeReplaced: true}),
		ListerWatcher: w.source(),
		ObjectType:    &corev1.Pod{},
		Process: func(obj any, isInInitialList bool) error {
			mu.Lock()
			defer mu.Unlock()
			s.say("%s%s", deltas(obj), map[bool]string{true: ", in the initial list"}[isInInitialList])
			for _, d := range obj.(cache.Deltas) {
				if d.Type == cache.Deleted {
					s.unless(store.Delete(d.Object))
				} else {
					s.unless(store.Update(d.Object))
				}
			}
			return fails
		},
	})
}

// refusing is a queue that takes lists alone.
type refusing struct{ cache.Queue }

func (refusing) Add(any) error { return errors.New("as planned") }

func controllers() []scene {
	return []scene{
		{name: "controller/the family of NewInformer", rows: "relist-order", play: func(s *stage) {
			w := newWorld()
			for name := range inOrder(family(w, nil, 0)) {
				w, r := newWorld("a", "b"), &recorder{}
				store, controller := family(w, r, 0)[name]()
				s.say("%s: %v %q", name, controller.HasSynced(), controller.LastSyncResourceVersion())
				stop := s.start(controller.RunWithContext)
				s.settle()
				w.put("a", "changed")
				w.drop("b")
				w.silently(func() { w.drop("a"); w.put("c", "new") })
				s.settle()
				s.tell("handler", r)
				s.say("%s %v %v", found(store.List(), nil), controller.HasSynced(), cache.IsDone(controller.HasSyncedChecker()))
				if indexer, ok := store.(cache.Indexer); ok {
					s.say("indexes: %d", len(indexer.GetIndexers()))
				}
				stop()
			}
		}},
		{name: "controller/resync", play: func(s *stage) {
			w, r := newWorld("a"), &recorder{}
			_, controller := family(w, r, time.Minute)["NewInformer"]()
			s.start(controller.RunWithContext)
			s.sleep(150 * time.Second)
			s.tell("handler", r)
		}},
		{name: "controller/synced when the handler has been told", play: func(s *stage) {
			w, r := newWorld("a", "b"), &recorder{slow: time.Minute}
			_, controller := family(w, r, 0)["NewInformer"]()
			s.start(controller.RunWithContext)
			s.sleep(90 * time.Second)
			s.say("in the middle of the first list: %v", controller.HasSynced())
			s.sleep(time.Minute)
			s.say("after it: %v", controller.HasSynced())
		}},
		{name: "controller/the store goes on while a handler works", rows: "informer-goroutine", play: func(s *stage) {
			w, r := newWorld("a"), &recorder{slow: time.Minute}
			store, controller := family(w, r, 0)["NewInformer"]()
			s.start(controller.RunWithContext)
			s.settle()
			w.put("b", "x")
			s.settle()
			s.say("%s", found(store.List(), nil))
		}},
		{name: "controller/a queue that somebody closes", rows: "controller-queue-closed", play: func(s *stage) {
			queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			controller := cache.New(&cache.Config{Queue: queue, ListerWatcher: newWorld("a").source(), ObjectType: &corev1.Pod{}, Process: func(any, bool) error { return nil }})
			ended := make(chan struct{})
			s.start(func(ctx context.Context) { controller.RunWithContext(ctx); close(ended) })
			s.settle()
			queue.Close()
			s.settle()
			select {
			case <-ended:
				s.say("ended")
			default:
				s.say("runs")
			}
		}},
		{name: "controller/a Process that panics", rows: "controller-panic", play: func(s *stage) {
			utilruntime.ReallyCrash = false
			defer func() { utilruntime.ReallyCrash = true }()
			var calls []time.Duration
			controller := cache.New(&cache.Config{
				Queue:         cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{}),
				ListerWatcher: newWorld("a", "b").source(),
				ObjectType:    &corev1.Pod{},
				Process: func(any, bool) error {
					calls = append(calls, s.now())
					if len(calls) == 1 {
						panic("as planned")
					}
					return nil
				},
			})
			stop := s.start(controller.RunWithContext)
			s.settle()
			s.say("%d calls, the second at once: %v", len(calls), calls[1]-calls[0] < 100*time.Millisecond)
			stop()
		}},
		{name: "controller/a queue that refuses an object", rows: "store-error", play: func(s *stage) {
			w := newWorld("a")
			var told atomic.Int64
			controller := cache.New(&cache.Config{
				Queue:             refusing{cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})},
				ListerWatcher:     w.source(),
				ObjectType:        &corev1.Pod{},
				Process:           func(any, bool) error { return nil },
				WatchErrorHandler: func(*cache.Reflector, error) { told.Add(1) },
			})
			s.start(controller.RunWithContext)
			s.settle()
			w.put("b", "x")
			s.settle()
			s.say("logged: %v, told: %v", s.logged.Load() > 0, told.Load() > 0)
		}},
		{name: "controller/run by a channel, and twice", play: func(s *stage) {
			w, r := newWorld("a"), &recorder{}
			_, controller := family(w, r, 0)["NewInformer"]()
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() { controller.Run(stop); close(ended) }()
			s.settle()
			close(stop)
			<-ended
			s.tell("handler", r)
			w.put("a", "late")
			s.settle()
			s.tell("handler", r)
		}},
		{name: "controller/a queue of one's own", play: func(s *stage) {
			w := newWorld("a", "b")
			store, controller := s.config(w, nil)
			s.start(controller.RunWithContext)
			s.settle()
			w.put("c", "new")
			s.settle()
			w.drop("b")
			s.settle()
			w.silently(func() { w.drop("a"); w.put("c", "changed") })
			s.settle()
			s.say("%s %v %q", found(store.List(), nil), controller.HasSynced(), controller.LastSyncResourceVersion())
		}},
		{name: "controller/a Process that fails", rows: "process-error", play: func(s *stage) {
			w := newWorld("a")
			_, controller := s.config(w, errors.New("as planned"))
			s.start(controller.RunWithContext)
			s.settle()
			s.say("%v, logged: %v", controller.HasSynced(), s.logged.Load() > 0)
		}},
		{name: "controller/batches", play: func(s *stage) {
			w := newWorld("a", "b")
			store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
			total := 0
			controller := cache.New(&cache.Config{
				Queue:         cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: store}),
				ListerWatcher: w.source(),
				ObjectType:    &corev1.Pod{},
				Process:       func(any, bool) error { total++; return nil },
				ProcessBatch:  func(batch []cache.Delta, _ bool) error { total += len(batch); return nil },
			})
			s.start(controller.RunWithContext)
			s.settle()
			w.put("a", "x")
			w.put("c", "x")
			s.settle()
			s.say("%d, %v", total, controller.HasSynced())
		}},
		{name: "controller/a fifo beneath", play: func(s *stage) {
			w := newWorld("a", "b")
			var seen []string
			controller := cache.New(&cache.Config{
				Queue:         cache.NewFIFO(cache.MetaNamespaceKeyFunc),
				ListerWatcher: w.source(),
				ObjectType:    &corev1.Pod{},
				Process:       func(obj any, _ bool) error { seen = append(seen, show(obj)); return nil },
			})
			s.start(controller.RunWithContext)
			s.settle()
			w.put("a", "x")
			s.settle()
			s.say("%q %v", append(sorted(seen[:2]), seen[2:]...), controller.HasSynced())
		}},
		{name: "controller/resync of a queue", play: func(s *stage) {
			w := newWorld("a")
			store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
			asked := 0
			controller := cache.New(&cache.Config{
				Queue:            cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: store}),
				ListerWatcher:    w.source(),
				ObjectType:       &corev1.Pod{},
				FullResyncPeriod: time.Minute,
				ShouldResync:     func() bool { asked++; return asked == 1 },
				Process: func(obj any, _ bool) error {
					s.say("%s", deltas(obj))
					return store.Update(obj.(cache.Deltas).Newest().Object)
				},
			})
			s.start(controller.RunWithContext)
			s.sleep(150 * time.Second)
			s.say("asked %d times", asked)
		}},
		{name: "controller/watch errors", play: func(s *stage) {
			w := newWorld("a")
			w.watched = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, errors.New("as planned"), n == 1
			}
			var mu sync.Mutex
			told, named := 0, false
			controller := cache.New(&cache.Config{
				Queue:         cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{}),
				ListerWatcher: w.source(),
				ObjectType:    &corev1.Pod{},
				Process:       func(any, bool) error { return nil },
				WatchErrorHandlerWithContext: func(ctx context.Context, r *cache.Reflector, err error) {
					mu.Lock()
					defer mu.Unlock()
					told++
					named = ctx != nil && r.TypeDescription() == "*v1.Pod" && r.LastSyncResourceVersion() != ""
				},
			})
			s.start(controller.RunWithContext)
			s.sleep(time.Minute)
			mu.Lock()
			defer mu.Unlock()
			s.say("%v %v", told > 0, named)
		}},
	}
}
