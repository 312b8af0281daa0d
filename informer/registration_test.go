package informer

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"
)

// The goroutine of a listener may end before or after the listener is recorded in
// removing. In both cases the processor does not keep the listener.
func TestRemoveDuringEndOfGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		r := s.addHandler(&recorder{}, HandlerOptions{})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		l := s.listeners[0]
		l.stopped.Store(true) // as Remove does, which then waits for the processor
		l.signal()
		<-r.Done()
		s.unregister(l)
		if len(s.removing) != 0 || len(s.listeners) != 0 {
			t.Errorf("%d removed and %d current listeners, want none", len(s.removing), len(s.listeners))
		}
		requireStop(t, s.processor)
	})
}

// A resync that is due at the moment of the stop is dropped.
func TestNoResyncAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		e := &recorder{}
		s.addHandler(e, HandlerOptions{ResyncPeriod: time.Minute})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		l := s.listeners[0]
		requireStop(t, s.processor)
		s.planResync(l) // as if it had read stopped just before
		if l.next(); l.resyncing != nil {
			t.Error("a resync is delivered after the stop")
		}
	})
}

// The registration of a removed handler, and a stopped informer, do not keep
// undelivered notifications.
func TestUndeliveredNotificationsAreReleased(t *testing.T) {
	for name, end := range map[string]func(*testProcessor, *Registration){
		"removed": func(_ *testProcessor, r *Registration) { r.Remove() },
		"stopped": func(s *testProcessor, _ *Registration) { s.close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestProcessor(t)
				_, fromLog, free := s.addBlocked(HandlerOptions{})
				s.start()
				s.apply("a", "!")
				synctest.Wait()
				_, fromSnapshot, freeLate := s.addBlocked(HandlerOptions{})
				_, fromMerged, freeMerging := s.addBlocked(HandlerOptions{MaxPending: 1})
				for _, change := range []string{"b", "b", "b", "b"} {
					s.apply(change)
				}
				idle := s.addHandler(&recorder{}, HandlerOptions{})
				var held []weak.Pointer[item]
				for _, key := range []string{"a", "b"} {
					obj, _ := s.store.Get(key)
					held = append(held, weak.Make(obj))
				}
				s.apply("-a", "-b")
				synctest.Wait()
				all := []*Registration{fromLog, fromSnapshot, fromMerged, idle}
				for _, r := range all {
					end(s, r)
				}
				free()
				freeLate()
				freeMerging()
				synctest.Wait()
				runtime.GC()
				for _, p := range held {
					if obj := p.Value(); obj != nil {
						t.Errorf("%s is held", obj)
					}
				}
				runtime.KeepAlive(all)
				requireStop(t, s.processor)
			})
		})
	}
}

// A handler that was removed before the start does not keep objects either.
func TestHandlerRemovedBeforeStartIsReleased(t *testing.T) {
	s := newTestProcessor(t)
	s.apply("a", "!")
	r := s.addHandler(&recorder{}, HandlerOptions{})
	obj, _ := s.store.Get("a")
	held := weak.Make(obj)
	obj = nil
	s.apply("-a")
	r.Remove()
	runtime.GC()
	if obj := held.Value(); obj != nil {
		t.Errorf("%s is held", obj)
	}
	runtime.KeepAlive(r)
	requireStop(t, s.processor)
}
