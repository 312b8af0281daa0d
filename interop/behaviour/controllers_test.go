package behaviour

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// constructors has the five functions that return a store and its controller.
func constructors(w *fakeServer, handler cache.ResourceEventHandler, resync time.Duration) map[string]func() (cache.Store, cache.Controller) {
	transform := func(obj any) (any, error) { return labeled(obj.(*corev1.Pod), "transformed"), nil }
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

// config returns a controller whose Process prints its arguments.
func (s *scenario) config(w *fakeServer, fails error) (cache.Store, cache.Controller) {
	store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
	var mu sync.Mutex
	return store, cache.New(&cache.Config{
		Queue:         cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: store, EmitDeltaTypeReplaced: true}),
		ListerWatcher: w.source(),
		ObjectType:    &corev1.Pod{},
		Process: func(obj any, isInInitialList bool) error {
			mu.Lock()
			defer mu.Unlock()
			s.printf("%s%s", deltas(obj), map[bool]string{true: ", in the initial list"}[isInInitialList])
			for _, d := range obj.(cache.Deltas) {
				if d.Type == cache.Deleted {
					s.check(store.Delete(d.Object))
				} else {
					s.check(store.Update(d.Object))
				}
			}
			return fails
		},
	})
}

// refusing is a queue whose Add fails.
type refusing struct{ cache.Queue }

func (refusing) Add(any) error { return errors.New("as planned") }

func controllers() []testCase {
	return []testCase{
		{name: "controller/NewInformer and its variants", rows: "relist-order", run: func(s *scenario) {
			w := newFakeServer()
			for name := range inOrder(constructors(w, nil, 0)) {
				w, r := newFakeServer("a", "b"), &recorder{}
				store, controller := constructors(w, r, 0)[name]()
				s.printf("%s: %v %q", name, controller.HasSynced(), controller.LastSyncResourceVersion())
				stop := s.start(controller.RunWithContext)
				s.settle()
				w.put("a", "changed")
				w.remove("b")
				w.relistAfter(func() { w.remove("a"); w.put("c", "new") })
				s.settle()
				s.printEvents("handler", r)
				s.printf("%s %v %v", found(store.List(), nil), controller.HasSynced(), cache.IsDone(controller.HasSyncedChecker()))
				if indexer, ok := store.(cache.Indexer); ok {
					s.printf("indexes: %d", len(indexer.GetIndexers()))
				}
				stop()
			}
		}},
		{name: "controller/resync", run: func(s *scenario) {
			w, r := newFakeServer("a"), &recorder{}
			_, controller := constructors(w, r, time.Minute)["NewInformer"]()
			s.start(controller.RunWithContext)
			s.sleep(150 * time.Second)
			s.printEvents("handler", r)
		}},
		{name: "controller/synced after the handler has returned", run: func(s *scenario) {
			w, r := newFakeServer("a", "b"), &recorder{slow: time.Minute}
			_, controller := constructors(w, r, 0)["NewInformer"]()
			s.start(controller.RunWithContext)
			s.sleep(90 * time.Second)
			s.printf("during the first list: %v", controller.HasSynced())
			s.sleep(time.Minute)
			s.printf("after it: %v", controller.HasSynced())
		}},
		{name: "controller/the store follows while a handler runs", rows: "informer-goroutine", run: func(s *scenario) {
			w, r := newFakeServer("a"), &recorder{slow: time.Minute}
			store, controller := constructors(w, r, 0)["NewInformer"]()
			s.start(controller.RunWithContext)
			s.settle()
			w.put("b", "x")
			s.settle()
			s.printf("%s", found(store.List(), nil))
		}},
		{name: "controller/a queue that is closed", rows: "controller-queue-closed", run: func(s *scenario) {
			queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})
			controller := cache.New(&cache.Config{Queue: queue, ListerWatcher: newFakeServer("a").source(), ObjectType: &corev1.Pod{}, Process: func(any, bool) error { return nil }})
			ended := make(chan struct{})
			s.start(func(ctx context.Context) { controller.RunWithContext(ctx); close(ended) })
			s.settle()
			queue.Close()
			s.settle()
			select {
			case <-ended:
				s.printf("ended")
			default:
				s.printf("runs")
			}
		}},
		{name: "controller/a Process that panics", rows: "controller-panic", run: func(s *scenario) {
			utilruntime.ReallyCrash = false
			defer func() { utilruntime.ReallyCrash = true }()
			var calls []time.Duration
			controller := cache.New(&cache.Config{
				Queue:         cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{}),
				ListerWatcher: newFakeServer("a", "b").source(),
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
			s.printf("%d calls, the second at once: %v", len(calls), calls[1]-calls[0] < 100*time.Millisecond)
			stop()
		}},
		{name: "controller/a queue that rejects an object", rows: "store-error", run: func(s *scenario) {
			w := newFakeServer("a")
			var reported atomic.Int64
			controller := cache.New(&cache.Config{
				Queue:             refusing{cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})},
				ListerWatcher:     w.source(),
				ObjectType:        &corev1.Pod{},
				Process:           func(any, bool) error { return nil },
				WatchErrorHandler: func(*cache.Reflector, error) { reported.Add(1) },
			})
			s.start(controller.RunWithContext)
			s.settle()
			w.put("b", "x")
			s.settle()
			s.printf("logged: %v, reported: %v", s.logged.Load() > 0, reported.Load() > 0)
		}},
		{name: "controller/a handler of NewInformer that panics", rows: "informer-panic", run: func(s *scenario) {
			utilruntime.ReallyCrash = false
			defer func() { utilruntime.ReallyCrash = true }()
			w, r := newFakeServer("a", "b"), &recorder{}
			r.then = func(line string) {
				if strings.Contains(line, "changed") {
					panic("as planned")
				}
			}
			store, controller := constructors(w, r, 0)["NewInformer"]()
			stop := s.start(controller.RunWithContext)
			s.settle()
			s.printSortedEvents("handler", r)
			w.put("a", "changed")
			w.put("b", "x")
			s.sleep(500 * time.Millisecond)
			s.printEvents("half a second later", r)
			s.printf("%s", found(store.List(), nil))
			s.settle()
			s.printEvents("later", r)
			stop()
		}},
		{name: "controller/Run with a channel", run: func(s *scenario) {
			w, r := newFakeServer("a"), &recorder{}
			_, controller := constructors(w, r, 0)["NewInformer"]()
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() { controller.Run(stop); close(ended) }()
			s.settle()
			close(stop)
			<-ended
			s.printEvents("handler", r)
			w.put("a", "late")
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "controller/a custom queue", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			store, controller := s.config(w, nil)
			s.start(controller.RunWithContext)
			s.settle()
			w.put("c", "new")
			s.settle()
			w.remove("b")
			s.settle()
			w.relistAfter(func() { w.remove("a"); w.put("c", "changed") })
			s.settle()
			s.printf("%s %v %q", found(store.List(), nil), controller.HasSynced(), controller.LastSyncResourceVersion())
		}},
		{name: "controller/a Process that fails", rows: "process-error", run: func(s *scenario) {
			w := newFakeServer("a")
			_, controller := s.config(w, errors.New("as planned"))
			s.start(controller.RunWithContext)
			s.settle()
			s.printf("%v, logged: %v", controller.HasSynced(), s.logged.Load() > 0)
		}},
		{name: "controller/batches", run: func(s *scenario) {
			w := newFakeServer("a", "b")
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
			s.printf("%d, %v", total, controller.HasSynced())
		}},
		{name: "controller/a FIFO as queue", run: func(s *scenario) {
			w := newFakeServer("a", "b")
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
			s.printf("%q %v", append(sorted(seen[:2]), seen[2:]...), controller.HasSynced())
		}},
		{name: "controller/resync of a queue", run: func(s *scenario) {
			w := newFakeServer("a")
			store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
			asked := 0
			controller := cache.New(&cache.Config{
				Queue:            cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: store}),
				ListerWatcher:    w.source(),
				ObjectType:       &corev1.Pod{},
				FullResyncPeriod: time.Minute,
				ShouldResync:     func() bool { asked++; return asked == 1 },
				Process: func(obj any, _ bool) error {
					s.printf("%s", deltas(obj))
					return store.Update(obj.(cache.Deltas).Newest().Object)
				},
			})
			s.start(controller.RunWithContext)
			s.sleep(150 * time.Second)
			s.printf("asked %d times", asked)
		}},
		{name: "controller/watch errors", run: func(s *scenario) {
			w := newFakeServer("a")
			w.onWatch = func(n int, _ metav1.ListOptions) (watch.Interface, error, bool) {
				return nil, errors.New("as planned"), n == 1
			}
			var mu sync.Mutex
			reported, named := 0, false
			controller := cache.New(&cache.Config{
				Queue:         cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{}),
				ListerWatcher: w.source(),
				ObjectType:    &corev1.Pod{},
				Process:       func(any, bool) error { return nil },
				WatchErrorHandlerWithContext: func(ctx context.Context, r *cache.Reflector, err error) {
					mu.Lock()
					defer mu.Unlock()
					reported++
					named = ctx != nil && r.TypeDescription() == "*v1.Pod" && r.LastSyncResourceVersion() != ""
				},
			})
			s.start(controller.RunWithContext)
			s.sleep(time.Minute)
			mu.Lock()
			defer mu.Unlock()
			s.printf("%v %v", reported > 0, named)
		}},
	}
}
