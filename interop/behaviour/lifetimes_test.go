package behaviour

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func lifetimes() []scene {
	return []scene{
		{name: "informer/an empty list", play: func(s *stage) {
			both(s, func(streams bool) {
				w := newWorld()
				w.streams = streams
				informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
				r := &recorder{}
				registration, err := informer.AddEventHandler(r)
				s.unless(err)
				s.say("%v %v", informer.HasSynced(), registration.HasSynced())
				s.start(informer.RunWithContext)
				s.settle()
				s.tell("handler", r)
				s.say("%v %v", informer.HasSynced(), registration.HasSynced())
			})
		}},
		{name: "informer/synced", play: func(s *stage) {
			w := newWorld("a", "b", "c")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			registration, err := informer.AddEventHandler(&recorder{slow: time.Second})
			s.unless(err)
			s.start(informer.RunWithContext)
			s.sleep(1500 * time.Millisecond)
			s.say("%v %v", informer.HasSynced(), registration.HasSynced())
			s.say("%v %v", cache.IsDone(informer.HasSyncedChecker()), cache.IsDone(registration.HasSyncedChecker()))
			s.settle()
			s.say("%v %v", informer.HasSynced(), registration.HasSynced())
			s.say("%v %v", cache.IsDone(informer.HasSyncedChecker()), cache.IsDone(registration.HasSyncedChecker()))
		}},
		{name: "informer/a late handler", play: func(s *stage) {
			w := newWorld("a", "b")
			informer, r := s.informed(w, 0)
			r.heard()
			late := &recorder{}
			registration, err := informer.AddEventHandler(late)
			s.unless(err)
			s.settle()
			s.tellInAnyOrder("late", late)
			s.say("%v", registration.HasSynced())
			w.put("a", "changed")
			w.put("c", "new")
			s.settle()
			s.tell("late", late)
			s.tell("early", r)
		}},
		{name: "informer/remove a handler", play: func(s *stage) {
			w := newWorld("a")
			informer, r := s.informed(w, 0)
			other := &recorder{}
			registration, err := informer.AddEventHandler(other)
			s.unless(err)
			s.settle()
			s.tell("other", other)
			s.outcome("remove", informer.RemoveEventHandler(registration))
			s.settle()
			r.heard()
			w.put("a", "changed")
			s.settle()
			s.tell("handler", r)
			s.tell("other", other)
			s.outcome("remove again", informer.RemoveEventHandler(registration))
			s.outcome("remove something foreign", informer.RemoveEventHandler(foreign{}))
			second, _ := s.informed(newWorld(), 0)
			theirs, err := second.AddEventHandler(&recorder{})
			s.unless(err)
			s.outcome("remove another informer's", informer.RemoveEventHandler(theirs))
			s.attempt("remove nil", func() { s.outcome("remove nil", informer.RemoveEventHandler(nil)) })
		}},
		{name: "informer/remove from within", play: func(s *stage) {
			w := newWorld("a", "b", "c")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			var registration cache.ResourceEventHandlerRegistration
			r := &recorder{slow: time.Second}
			r.then = func(string) { s.unless(informer.RemoveEventHandler(registration)) }
			var err error
			registration, err = informer.AddEventHandler(r)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/remove before the start", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			r := &recorder{}
			registration, err := informer.AddEventHandler(r)
			s.unless(err)
			s.outcome("remove", informer.RemoveEventHandler(registration))
			s.start(informer.RunWithContext)
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/shut a handler down", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			slow := &recorder{slow: 10 * time.Second}
			registration, err := informer.AddEventHandler(slow)
			s.unless(err)
			s.start(informer.RunWithContext)
			s.settle()
			before := s.now()
			s.outcome("shut down", cache.ShutDownEventHandler(informer, registration))
			s.say("it waited %v", s.now()-before)
			s.outcome("again", cache.ShutDownEventHandler(informer, registration))
		}},
		{name: "informer/stop drops what is pending", play: func(s *stage) {
			w := newWorld()
			for i := range 100 {
				w.put(fmt.Sprintf("p%02d", i), "x")
			}
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			slow := &recorder{slow: 2 * time.Second}
			_, err := informer.AddEventHandler(slow)
			s.unless(err)
			stop := s.start(informer.RunWithContext)
			s.sleep(5 * time.Second)
			s.say("stopped: %v", informer.IsStopped())
			stop()
			s.say("stopped: %v", informer.IsStopped())
			s.tell("handler", slow)
			s.sleep(time.Hour)
			s.tell("handler, later", slow)
			s.say("the store has %d", len(informer.GetStore().List()))
		}},
		{name: "informer/run ends when callbacks have", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0)
			_, err := informer.AddEventHandler(&recorder{slow: time.Minute})
			s.unless(err)
			stop := s.start(informer.RunWithContext)
			s.settle()
			stop()
			s.say("about %v", s.now().Round(time.Minute))
		}},
		{name: "informer/stop channel", play: func(s *stage) {
			w := newWorld("a")
			informer, ended, stop := cache.NewSharedInformer(w.source(), &corev1.Pod{}, 0), make(chan struct{}), make(chan struct{})
			go func() { informer.Run(stop); close(ended) }()
			s.settle()
			s.say("%v", informer.HasSynced())
			close(stop)
			<-ended
			s.say("%v", informer.IsStopped())
		}},
		{name: "informer/run twice", play: func(s *stage) {
			w := newWorld("a")
			informer, r := s.informed(w, 0)
			r.heard()
			ended := false
			s.start(func(ctx context.Context) { informer.RunWithContext(ctx); ended = true })
			s.settle()
			s.say("the second has ended: %v", ended)
			w.put("a", "changed")
			s.settle()
			s.tell("handler", r)
		}},
		{name: "informer/after the end", play: func(s *stage) {
			w := newWorld("a")
			informer := cache.NewSharedIndexInformer(w.source(), &corev1.Pod{}, 0, cache.Indexers{})
			stop := s.start(informer.RunWithContext)
			s.settle()
			stop()
			_, err := informer.AddEventHandler(&recorder{})
			s.outcome("add a handler", err)
			s.outcome("add indexers", informer.AddIndexers(cache.Indexers{"is": byLabel}))
			s.say("%s", found(informer.GetStore().List(), nil))
			s.start(informer.RunWithContext)
			s.settle()
			s.say("%v %v", informer.HasSynced(), informer.IsStopped())
		}},
		{name: "informer/set after the start", play: func(s *stage) {
			informer, _ := s.informed(newWorld("a"), 0)
			s.outcome("transform", informer.SetTransform(func(obj any) (any, error) { return obj, nil }))
			s.outcome("watch error handler", informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}))
			s.outcome("watch error handler with context", informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}))
			s.outcome("indexers", informer.AddIndexers(cache.Indexers{"is": byLabel}))
			s.say("%s", found(informer.GetIndexer().ByIndex("is", "")))
			s.outcome("the same indexers", informer.AddIndexers(cache.Indexers{"is": byLabel}))
		}},
	}
}

type foreign struct{}

func (foreign) HasSynced() bool                     { return true }
func (foreign) HasSyncedChecker() cache.DoneChecker { return nil }
