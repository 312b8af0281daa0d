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

// stuck adds a handler that does not return from a callback until free is
// called.
func (s *stage) stuck(o HandlerOptions) (e *ears, r *Registration, free func()) {
	gate := make(chan struct{})
	e = &ears{before: func(string) { <-gate }}
	return e, s.hear(e, o), func() { close(gate) }
}

// Past MaxPending what waits is merged, and only that: what came before it is
// told one by one, and so is what comes when the handler has caught up.
func TestMergingBeginsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		other := &ears{}
		s.hear(other, HandlerOptions{MaxPending: 3})
		e, _, free := s.stuck(HandlerOptions{MaxPending: 3})
		s.start()
		s.apply("a", "!")
		synctest.Wait()
		for _, change := range []string{"a", "a", "b"} {
			s.apply(change)
			synctest.Wait()
		}
		// a1, which is being told, has left the mark, a2, a3 and b4 waiting.
		if state := s.states()[1]; state.Pending != 4 || state.Merged != 0 {
			t.Errorf("before merging: %+v", state)
		}
		for _, change := range []string{"a", "b", "c", "-c"} {
			s.apply(change)
			synctest.Wait()
		}
		if state := s.states()[1]; state.Pending != 3 || state.Merged != 5 {
			t.Errorf("merged: %+v", state)
		}
		e.want(t, "add a1 initial")
		free()
		e.want(t, "add a1 initial", "update a1 a5", "add b6")
		s.apply("a")
		s.apply("a")
		e.want(t, "add a1 initial", "update a1 a5", "add b6", "update a5 a8", "update a8 a9")
		other.want(t, "add a1 initial", "update a1 a2", "update a2 a3", "add b4", "update a3 a5", "update b4 b6", "add c7", "delete c7", "update a5 a8", "update a8 a9")
		if state := s.states()[1]; state.Pending != 0 || state.Merged != 5 {
			t.Errorf("at the end: %+v", state)
		}
		stops(t, s.processor)
	})
}

// With a negative MaxPending nothing is ever merged.
func TestNoMerging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		e, _, free := s.stuck(HandlerOptions{MaxPending: -1})
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
		stops(t, s.processor)
	})
}

// The initial list does not count as falling behind, nor does what a late
// handler has not been told yet of what was there; what comes after that does,
// and is told after it.
func TestTheInitialListIsNotMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		early, synced, free := s.stuck(HandlerOptions{MaxPending: 2})
		s.start()
		s.apply("a", "b", "c", "d", "e", "!")
		s.apply("a")
		s.apply("a")
		if m := s.states()[0].Merged; m != 0 {
			t.Errorf("%d merged with an initial list and two waiting", m)
		}
		synctest.Wait()
		late, alsoSynced, freeLate := s.stuck(HandlerOptions{MaxPending: 2})
		synctest.Wait()
		for _, change := range []string{"b", "-c", "b", "c", "-e", "f", "-f"} {
			s.apply(change)
		}
		synctest.Wait()
		if synced.HasSynced() || alsoSynced.HasSynced() {
			t.Error("synced in the first callback")
		}
		// Of the late one's start four wait, and b, c twice and e.
		if state := s.states()[1]; state.Pending != 4+4 {
			t.Errorf("the late handler: %+v", state)
		}
		free()
		freeLate()
		early.want(t, "add a1 initial", "add b9 initial", "add d4 initial", "update a1 a7", "add c10")
		late.want(t, "add a7 initial", "add b2 initial", "add c3 initial", "add d4 initial", "add e5 initial",
			"update b2 b9", "delete c3", "add c10", "delete e5")
		if !synced.HasSynced() || !alsoSynced.HasSynced() {
			t.Error("not synced")
		}
		stops(t, s.processor)
	})
}

// While notifications are merged a resync waits until they have been told.
func TestResyncWaitsForWhatIsMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		e := slowly("update a1")
		s.hear(e, HandlerOptions{MaxPending: 1, ResyncPeriod: time.Minute})
		s.start()
		s.apply("a", "b", "!")
		synctest.Wait()
		s.apply("a") // told until 1:30; a resync is due at 1:00
		for range 5 {
			s.apply("b")
		}
		time.Sleep(100 * time.Second)
		e.want(t, "add a1 initial", "add b2 initial", "update a1 a3", "update b2 b8", "update a3 a3", "update b8 b8")
		stops(t, s.processor)
	})
}

// A resync has its place in the log. What is merged before the handler has
// come there cannot be told around it: then it has another, later place.
func TestResyncIsPlannedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		e := slowly("update a1", "update b2")
		s.hear(e, HandlerOptions{MaxPending: 3, ResyncPeriod: time.Minute})
		s.start()
		s.apply("a", "b", "!")
		synctest.Wait()
		for _, change := range []string{"a", "b", "a"} { // a3 is told until 1:30, b4 until 3:00
			s.apply(change)
			synctest.Wait()
		}
		time.Sleep(100 * time.Second)
		for range 5 { // the place was behind a5
			s.apply("b")
		}
		time.Sleep(100 * time.Second)
		e.want(t, "add a1 initial", "add b2 initial", "update a1 a3", "update b2 b4", "update a3 a5", "update b4 b10",
			"update a5 a5", "update b10 b10")
		stops(t, s.processor)
	})
}

// slowly takes 90 seconds for the calls that begin so.
func slowly(calls ...string) *ears {
	return &ears{before: func(call string) {
		for _, slow := range calls {
			if strings.HasPrefix(call, slow) {
				time.Sleep(90 * time.Second)
			}
		}
	}}
}

// A handler that does not return costs at most two notifications for each key,
// however much happens; and the log is not held for it.
func TestAStalledHandlerIsBounded(t *testing.T) {
	const keys, rounds, size = 500, 100, 2 << 10
	s := newStage(t)
	s.size = size
	last, final := map[string]int{}, 0
	gate, done := make(chan struct{}), make(chan struct{})
	s.hear(ResourceEventHandlerFuncs[*item]{UpdateFunc: func(old, new *item) {
		if last[old.key] != 0 && last[old.key] != old.version {
			t.Errorf("told of %s after %d", old, last[old.key])
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
		t.Errorf("a stalled handler holds %d KB more, where one state of each object is %d", more>>10, keys*size>>10)
	}
	close(gate)
	<-done
	for obj := range s.store.All() {
		if last[obj.key] != obj.version {
			t.Errorf("%s was told last as %d", obj, last[obj.key])
		}
	}
	stops(t, s.processor)
}

// What every handler has been told is held by nobody, even when nothing more
// happens.
func TestTheLogForgetsWhatWasTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		for range 3 {
			s.hear(ResourceEventHandlerFuncs[*item]{}, HandlerOptions{})
		}
		_, _, free := s.stuck(HandlerOptions{MaxPending: 1})
		s.start()
		s.apply("z", "!")
		synctest.Wait()
		for range 10 {
			s.apply("a")
		}
		old, _ := s.store.Get("a")
		past := weak.Make(old)
		old = nil
		s.apply("a")
		s.apply("b")
		synctest.Wait()
		runtime.GC()
		if obj := past.Value(); obj != nil {
			t.Errorf("%s is held", obj)
		}
		last, _ := s.store.Get("a")
		past = weak.Make(last)
		last = nil
		free() // the stuck handler is told of a as well now
		synctest.Wait()
		s.apply("-a")
		synctest.Wait()
		runtime.GC()
		if obj := past.Value(); obj != nil {
			t.Errorf("%s is held when all has been told", obj)
		}
		stops(t, s.processor)
	})
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A filter takes back what its handler has seen, though the last state, into
// which the deletion was merged or in which it came, is not chosen; and nothing
// else.
func TestAFilterBehindADeleteOfAnotherState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		e := &ears{}
		gate := make(chan struct{})
		odd := func(i *item) bool {
			if i.key == "stuck" {
				<-gate
			}
			return i.version%2 == 1
		}
		filter := FilteringResourceEventHandler[*item]{FilterFunc: odd, Handler: e}
		behind := Changed(func(i *item) int { return i.version }, ResourceEventHandler[*item](&filter))
		s.hear(behind, HandlerOptions{MaxPending: 1})
		s.start()
		s.apply("a", "b", "c", "d", "!")
		synctest.Wait()
		s.apply("stuck") // 5, and then a6, c7, b8, d9
		synctest.Wait()
		for _, change := range []string{"a", "c", "b", "d", "-a", "-b", "-c", "-d"} {
			s.apply(change)
		}
		close(gate)
		e.want(t, "add a1 initial", "add c3 initial", "add stuck5", "delete a1", "delete c7")
		stops(t, s.processor)
	})
}
