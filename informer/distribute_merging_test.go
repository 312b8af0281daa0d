package informer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"
)

// addBlocked adds a handler whose callbacks block until free is called.
func (s *testProcessor) addBlocked(o HandlerOptions) (e *recorder, r *Registration, free func()) {
	gate := make(chan struct{})
	e = &recorder{before: func(string) { <-gate }}
	return e, s.addHandler(e, o), func() { close(gate) }
}

// Past MaxPending only the waiting notifications are merged: earlier ones are
// delivered individually, and so are later ones when the handler has caught up.
func TestMergingStartsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		other := &recorder{}
		s.addHandler(other, HandlerOptions{MaxPending: 3})
		e, _, free := s.addBlocked(HandlerOptions{MaxPending: 3})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		for _, change := range []string{"a", "a", "b"} {
			s.apply(change)
			synctest.Wait()
		}
		// During the delivery of a1, the mark, a2, a3 and b4 wait.
		if state := s.states()[1]; state.Pending != 4 || state.Merged != 0 {
			t.Errorf("before merging: %+v", state)
		}
		for _, change := range []string{"a", "b", "c", "-c"} {
			s.apply(change)
			synctest.Wait()
		}
		if state := s.states()[1]; state.Pending != 3 || state.Merged != 5 {
			t.Errorf("after merging: %+v", state)
		}
		e.requireCalls(t, "add a1 initial")
		free()
		e.requireCalls(t, "add a1 initial", "update a1 a5", "add b6")
		s.apply("a")
		s.apply("a")
		e.requireCalls(t, "add a1 initial", "update a1 a5", "add b6", "update a5 a8", "update a8 a9")
		other.requireCalls(t, "add a1 initial", "update a1 a2", "update a2 a3", "add b4", "update a3 a5", "update b4 b6", "add c7", "delete c7", "update a5 a8", "update a8 a9")
		if state := s.states()[1]; state.Pending != 0 || state.Merged != 5 {
			t.Errorf("at the end: %+v", state)
		}
		requireStop(t, s.processor)
	})
}

// With a negative MaxPending nothing is merged.
func TestNegativeMaxPendingDisablesMerging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		e, _, free := s.addBlocked(HandlerOptions{MaxPending: -1})
		s.start()
		s.apply("a", "!")
		for range 3000 {
			s.apply("a")
		}
		free()
		synctest.Wait()
		if n := len(e.all()); n != 3001 {
			t.Errorf("%d callbacks, want 3001", n)
		}
		requireStop(t, s.processor)
	})
}

// Neither the initial list nor the initial objects of a late handler count towards
// MaxPending. Later changes do, and are delivered after them.
func TestInitialListIsNotMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		early, earlyRegistration, free := s.addBlocked(HandlerOptions{MaxPending: 2})
		s.start()
		s.apply("a", "b", "c", "d", "e", "!")
		s.apply("a")
		s.apply("a")
		if m := s.states()[0].Merged; m != 0 {
			t.Errorf("%d notifications were merged, although only two wait besides the initial list", m)
		}
		synctest.Wait()
		late, lateRegistration, freeLate := s.addBlocked(HandlerOptions{MaxPending: 2})
		synctest.Wait()
		for _, change := range []string{"b", "-c", "b", "c", "-e", "f", "-f"} {
			s.apply(change)
		}
		synctest.Wait()
		if earlyRegistration.HasSynced() || lateRegistration.HasSynced() {
			t.Error("synced during the first callback")
		}
		// Four initial objects, b, c twice and e wait for the late handler.
		if state := s.states()[1]; state.Pending != 4+4 {
			t.Errorf("state of the late handler: %+v", state)
		}
		free()
		freeLate()
		early.requireCalls(t, "add a1 initial", "add b9 initial", "add d4 initial", "update a1 a7", "add c10")
		late.requireCalls(t, "add a7 initial", "add b2 initial", "add c3 initial", "add d4 initial", "add e5 initial",
			"update b2 b9", "delete c3", "add c10", "delete e5")
		if !earlyRegistration.HasSynced() || !lateRegistration.HasSynced() {
			t.Error("not synced after the initial list")
		}
		requireStop(t, s.processor)
	})
}

// While notifications are merged, a resync waits for their delivery.
func TestResyncWaitsForMergedNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		e := slowRecorder("update a1")
		s.addHandler(e, HandlerOptions{MaxPending: 1, ResyncPeriod: time.Minute})
		s.start()
		s.apply("a", "b", "!")
		synctest.Wait()
		s.apply("a") // its callback ends at 1:30; a resync is due at 1:00
		for range 5 {
			s.apply("b")
		}
		time.Sleep(100 * time.Second)
		e.requireCalls(t, "add a1 initial", "add b2 initial", "update a1 a3", "update b2 b8", "update a3 a3", "update b8 b8")
		requireStop(t, s.processor)
	})
}

// A resync has a position of the log. If notifications are merged across the
// position, the resync gets a new, later position.
func TestResyncIsPlannedAgainAfterMerging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		e := slowRecorder("update a1", "update b2")
		s.addHandler(e, HandlerOptions{MaxPending: 3, ResyncPeriod: time.Minute})
		s.start()
		s.apply("a", "b", "!")
		synctest.Wait()
		for _, change := range []string{"a", "b", "a"} { // the callback for a3 ends at 1:30, the one for b4 at 3:00
			s.apply(change)
			synctest.Wait()
		}
		time.Sleep(100 * time.Second)
		for range 5 { // the position of the resync was after a5
			s.apply("b")
		}
		time.Sleep(100 * time.Second)
		e.requireCalls(t, "add a1 initial", "add b2 initial", "update a1 a3", "update b2 b4", "update a3 a5", "update b4 b10",
			"update a5 a5", "update b10 b10")
		requireStop(t, s.processor)
	})
}

// slowRecorder returns a recorder whose callbacks take 90 seconds if they begin with
// one of the prefixes.
func slowRecorder(prefixes ...string) *recorder {
	return &recorder{before: func(call string) {
		for _, prefix := range prefixes {
			if strings.HasPrefix(call, prefix) {
				time.Sleep(90 * time.Second)
			}
		}
	}}
}

// A blocked handler holds at most two notifications per key, regardless of the number
// of changes, and does not keep the log in memory.
func TestMemoryOfBlockedHandlerIsBounded(t *testing.T) {
	const keys, rounds, size = 500, 100, 2 << 10
	s := newTestProcessor(t)
	s.size = size
	last, final := map[string]int{}, 0
	gate, done := make(chan struct{}), make(chan struct{})
	s.addHandler(ResourceEventHandlerFuncs[*item]{UpdateFunc: func(old, new *item) {
		if last[old.key] != 0 && last[old.key] != old.version {
			t.Errorf("the old state is %s, but the previous new state was %d", old, last[old.key])
		}
		last[new.key] = new.version
		if len(last) == 1 {
			<-gate
		}
		if new.version > keys*rounds {
			if final++; final == keys {
				close(done)
			}
		}
	}}, HandlerOptions{})
	s.start()
	all := make([]string, keys)
	for i := range all {
		all[i] = fmt.Sprint("key-", i)
	}
	s.apply(append(all, "!")...)
	before := liveHeap()
	for range rounds {
		for _, key := range all {
			s.apply(key)
		}
	}
	if more := int(liveHeap()) - int(before); more > 3*keys*size/2 {
		t.Errorf("a blocked handler holds %d KB; one state of each object is %d KB", more>>10, keys*size>>10)
	}
	close(gate)
	<-done
	for obj := range s.store.All() {
		if last[obj.key] != obj.version {
			t.Errorf("%s: the last received version is %d", obj, last[obj.key])
		}
	}
	requireStop(t, s.processor)
}

// Entries that every handler has received are released, even if no further change
// follows.
func TestLogReleasesDeliveredEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		for range 3 {
			s.addHandler(ResourceEventHandlerFuncs[*item]{}, HandlerOptions{})
		}
		_, _, free := s.addBlocked(HandlerOptions{MaxPending: 1})
		s.start()
		s.apply("z", "!")
		synctest.Wait()
		for range 10 {
			s.apply("a")
		}
		old, _ := s.store.Get("a")
		released := weak.Make(old)
		old = nil
		s.apply("a")
		s.apply("b")
		synctest.Wait()
		runtime.GC()
		if obj := released.Value(); obj != nil {
			t.Errorf("%s is held", obj)
		}
		last, _ := s.store.Get("a")
		released = weak.Make(last)
		last = nil
		free() // the blocked handler receives a as well
		synctest.Wait()
		s.apply("-a")
		synctest.Wait()
		runtime.GC()
		if obj := released.Value(); obj != nil {
			t.Errorf("%s is held after its delivery to all handlers", obj)
		}
		requireStop(t, s.processor)
	})
}

// liveHeap returns the number of bytes in use after a collection.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A filter reports the deletion of an object that its handler has seen, even if the
// last state, from the deletion or a merged update, is not accepted. It reports no
// other deletion.
func TestFilterWithMergedDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProcessor(t)
		e := &recorder{}
		gate := make(chan struct{})
		odd := func(i *item) bool {
			if i.key == "stuck" {
				<-gate
			}
			return i.version%2 == 1
		}
		filter := FilteringResourceEventHandler[*item]{FilterFunc: odd, Handler: e}
		behind := Changed(func(i *item) int { return i.version }, ResourceEventHandler[*item](&filter))
		s.addHandler(behind, HandlerOptions{MaxPending: 1})
		s.start()
		s.apply("a", "b", "c", "d", "!")
		synctest.Wait()
		s.apply("stuck") // this is stuck5; a6, c7, b8 and d9 follow
		synctest.Wait()
		for _, change := range []string{"a", "c", "b", "d", "-a", "-b", "-c", "-d"} {
			s.apply(change)
		}
		close(gate)
		e.requireCalls(t, "add a1 initial", "add c3 initial", "add stuck5", "delete a1", "delete c7")
		requireStop(t, s.processor)
	})
}
