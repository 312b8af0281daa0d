package behaviour

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func lifetimes() []testCase {
	return []testCase{
		{name: "informer/an empty list", run: func(s *scenario) {
			withAndWithoutStreams(s, func(streams bool) {
				w := newFakeServer()
				w.streams = streams
				informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
				r := &recorder{}
				registration, err := informer.AddEventHandler(r)
				s.check(err)
				s.printf("%v %v", informer.HasSynced(), registration.HasSynced())
				s.start(informer.RunWithContext)
				s.settle()
				s.printEvents("handler", r)
				s.printf("%v %v", informer.HasSynced(), registration.HasSynced())
			})
		}},
		{name: "informer/synced", run: func(s *scenario) {
			w := newFakeServer("a", "b", "c")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			registration, err := informer.AddEventHandler(&recorder{slow: time.Second})
			s.check(err)
			s.start(informer.RunWithContext)
			s.sleep(1500 * time.Millisecond)
			s.printf("%v %v", informer.HasSynced(), registration.HasSynced())
			s.printf("%v %v", cache.IsDone(informer.HasSyncedChecker()), cache.IsDone(registration.HasSyncedChecker()))
			s.settle()
			s.printf("%v %v", informer.HasSynced(), registration.HasSynced())
			s.printf("%v %v", cache.IsDone(informer.HasSyncedChecker()), cache.IsDone(registration.HasSyncedChecker()))
		}},
		{name: "informer/a late handler", run: func(s *scenario) {
			w := newFakeServer("a", "b")
			informer, r := s.runInformer(w, 0)
			r.take()
			late := &recorder{}
			registration, err := informer.AddEventHandler(late)
			s.check(err)
			s.settle()
			s.printSortedEvents("late", late)
			s.printf("%v", registration.HasSynced())
			w.put("a", "changed")
			w.put("c", "new")
			s.settle()
			s.printEvents("late", late)
			s.printEvents("early", r)
		}},
		{name: "informer/remove a handler", run: func(s *scenario) {
			w := newFakeServer("a")
			informer, r := s.runInformer(w, 0)
			other := &recorder{}
			registration, err := informer.AddEventHandler(other)
			s.check(err)
			s.settle()
			s.printEvents("other", other)
			s.outcome("remove", informer.RemoveEventHandler(registration))
			s.settle()
			r.take()
			w.put("a", "changed")
			s.settle()
			s.printEvents("handler", r)
			s.printEvents("other", other)
			s.outcome("remove again", informer.RemoveEventHandler(registration))
			s.outcome("remove another type", informer.RemoveEventHandler(foreign{}))
			second, _ := s.runInformer(newFakeServer(), 0)
			theirs, err := second.AddEventHandler(&recorder{})
			s.check(err)
			s.outcome("remove another informer's", informer.RemoveEventHandler(theirs))
			s.attempt("remove nil", func() { s.outcome("remove nil", informer.RemoveEventHandler(nil)) })
		}},
		{name: "informer/remove a handler in its callback", run: func(s *scenario) {
			w := newFakeServer("a", "b", "c")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			var registration cache.ResourceEventHandlerRegistration
			r := &recorder{slow: time.Second}
			r.then = func(string) { s.check(informer.RemoveEventHandler(registration)) }
			var err error
			registration, err = informer.AddEventHandler(r)
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/remove before the start", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			r := &recorder{}
			registration, err := informer.AddEventHandler(r)
			s.check(err)
			s.outcome("remove", informer.RemoveEventHandler(registration))
			s.start(informer.RunWithContext)
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/shut a handler down", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			slow := &recorder{slow: 10 * time.Second}
			registration, err := informer.AddEventHandler(slow)
			s.check(err)
			s.start(informer.RunWithContext)
			s.settle()
			before := s.now()
			s.outcome("shut down", cache.ShutDownEventHandler(informer, registration))
			s.printf("it waited %v", s.now()-before)
			s.outcome("again", cache.ShutDownEventHandler(informer, registration))
		}},
		{name: "informer/stop drops pending notifications", run: func(s *scenario) {
			w := newFakeServer()
			for i := range 100 {
				w.put(fmt.Sprintf("p%02d", i), "x")
			}
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			slow := &recorder{slow: 2 * time.Second}
			_, err := informer.AddEventHandler(slow)
			s.check(err)
			stop := s.start(informer.RunWithContext)
			s.sleep(5 * time.Second)
			s.printf("stopped: %v", informer.IsStopped())
			stop()
			s.printf("stopped: %v", informer.IsStopped())
			s.printEvents("handler", slow)
			s.sleep(time.Hour)
			s.printEvents("handler, later", slow)
			s.printf("the store has %d", len(informer.GetStore().List()))
		}},
		{name: "informer/Run returns after its callbacks", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedInformer(w.source(), &corev1.Pod{}, 0)
			_, err := informer.AddEventHandler(&recorder{slow: time.Minute})
			s.check(err)
			stop := s.start(informer.RunWithContext)
			s.settle()
			stop()
			s.printf("about %v", s.now().Round(time.Minute))
		}},
		{name: "informer/stop channel", run: func(s *scenario) {
			w := newFakeServer("a")
			informer, ended, stop := newSharedInformer(w.source(), &corev1.Pod{}, 0), make(chan struct{}), make(chan struct{})
			go func() { informer.Run(stop); close(ended) }()
			s.settle()
			s.printf("%v", informer.HasSynced())
			close(stop)
			<-ended
			s.printf("%v", informer.IsStopped())
		}},
		{name: "informer/run twice", run: func(s *scenario) {
			w := newFakeServer("a")
			informer, r := s.runInformer(w, 0)
			r.take()
			ended := false
			s.start(func(ctx context.Context) { informer.RunWithContext(ctx); ended = true })
			s.settle()
			s.printf("the second has ended: %v", ended)
			w.put("a", "changed")
			s.settle()
			s.printEvents("handler", r)
		}},
		{name: "informer/after the end", run: func(s *scenario) {
			w := newFakeServer("a")
			informer := newSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{})
			stop := s.start(informer.RunWithContext)
			s.settle()
			stop()
			_, err := informer.AddEventHandler(&recorder{})
			s.outcome("add a handler", err)
			s.outcome("add indexers", informer.AddIndexers(cache.Indexers{"is": byLabel}))
			s.printf("%s", found(informer.GetStore().List(), nil))
			s.start(informer.RunWithContext)
			s.settle()
			s.printf("%v %v", informer.HasSynced(), informer.IsStopped())
		}},
		{name: "informer/set after the start", run: func(s *scenario) {
			informer, _ := s.runInformer(newFakeServer("a"), 0)
			s.outcome("transform", informer.SetTransform(func(obj any) (any, error) { return obj, nil }))
			s.outcome("watch error handler", informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}))
			s.outcome("watch error handler with context", informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}))
			s.outcome("indexers", informer.AddIndexers(cache.Indexers{"is": byLabel}))
			s.printf("%s", found(informer.GetIndexer().ByIndex("is", "")))
			s.outcome("the same indexers", informer.AddIndexers(cache.Indexers{"is": byLabel}))
		}},
	}
}

type foreign struct{}

func (foreign) HasSynced() bool                     { return true }
func (foreign) HasSyncedChecker() cache.DoneChecker { return nil }
