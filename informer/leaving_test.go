package informer

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"
)

// Whichever comes first, the end of the goroutine or that it is noted as
// leaving: a handler that is gone is not waited for, or held, any more.
func TestAHandlerThatEndsWhileItIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		r := s.hear(&ears{}, HandlerOptions{})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		l := s.listeners[0]
		l.over.Store(true) // as Remove does, which then waits for the processor
		l.awaken()
		<-r.Done()
		s.takeOut(l)
		if len(s.leaving) != 0 || len(s.listeners) != 0 {
			t.Errorf("%d leaving and %d there, want none", len(s.leaving), len(s.listeners))
		}
		stops(t, s.processor)
	})
}

// A resync that comes due in the moment of the stop has nothing to tell.
func TestNoResyncIsPlannedAfterTheStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		e := &ears{}
		s.hear(e, HandlerOptions{ResyncPeriod: time.Minute})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		l := s.listeners[0]
		stops(t, s.processor)
		s.planResync(l) // it had looked for its end just before
		if l.cut(); l.resyncing != nil {
			t.Error("a resync is told after the stop")
		}
	})
}

// Who keeps the registration of a handler that has been removed, or an informer
// that has stopped, keeps nothing of what the handler would have been told.
func TestWhatIsNotToldIsHeldByNobody(t *testing.T) {
	for name, end := range map[string]func(*stage, *Registration){
		"removed": func(_ *stage, r *Registration) { r.Remove() },
		"stopped": func(s *stage, _ *Registration) { s.close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				_, fromLog, free := s.stuck(HandlerOptions{})
				s.start()
				s.apply("a", "!")
				synctest.Wait()
				_, fromSnapshot, freeLate := s.stuck(HandlerOptions{})
				_, fromMerged, freeMerging := s.stuck(HandlerOptions{MaxPending: 1})
				for _, change := range []string{"b", "b", "b", "b"} {
					s.apply(change)
				}
				idle := s.hear(&ears{}, HandlerOptions{})
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
				stops(t, s.processor)
			})
		})
	}
}

// The same for a handler that never ran.
func TestAHandlerRemovedBeforeTheStartHoldsNothing(t *testing.T) {
	s := newStage(t)
	s.apply("a", "!")
	r := s.hear(&ears{}, HandlerOptions{})
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
	stops(t, s.processor)
}
