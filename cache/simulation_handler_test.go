package cache

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// simCall is one callback. again marks a resync, in which the old and the new
// state are the same.
type simCall struct {
	kind, key, old, new     string
	initial, unknown, again bool
}

// simHandler records its callbacks. The first handler of a simulation is the
// reference for the others: it exists from the start, is never slow, and is
// not removed.
type simHandler struct {
	handle ResourceEventHandlerRegistration
	// from is the number of callbacks of the first handler when this one was
	// added; initial is the content of the store at that time.
	from    int
	initial map[string]string
	resyncs bool
	// repeats is set for sources of functions, whose versions are not known to
	// be ordered: repeated events are delivered twice.
	repeats bool
	panics  bool
	// removedAt is the number of callbacks when the handler was removed; -1
	// before.
	removedAt int

	mu    sync.Mutex
	rng   *rand.Rand
	naps  time.Duration
	calls []simCall
}

// stateOf returns a state of an object as text: name, version, UID and write.
func stateOf(obj any) string {
	o := obj.(metav1.Object)
	return fmt.Sprintf("%s@%s/%s#%s", o.GetName(), o.GetResourceVersion(), o.GetUID(), o.GetAnnotations()["write"])
}

func (h *simHandler) OnAdd(obj any, initial bool) {
	h.take(simCall{kind: "add", key: obj.(metav1.Object).GetName(), new: stateOf(obj), initial: initial})
}

func (h *simHandler) OnUpdate(oldObj, newObj any) {
	h.take(simCall{kind: "update", key: newObj.(metav1.Object).GetName(), old: stateOf(oldObj), new: stateOf(newObj), again: oldObj == newObj})
}

func (h *simHandler) OnDelete(obj any) {
	tombstone, unknown := obj.(DeletedFinalStateUnknown)
	if unknown {
		obj = tombstone.Obj
	}
	call := simCall{kind: "delete", key: obj.(metav1.Object).GetName(), old: stateOf(obj), unknown: unknown}
	if key, err := DeletionHandlingMetaNamespaceKeyFunc(obj); unknown && (err != nil || key != tombstone.Key) {
		call.kind = "delete with the wrong key " + tombstone.Key
	}
	h.take(call)
}

func (h *simHandler) take(call simCall) {
	h.mu.Lock()
	h.calls = append(h.calls, call)
	nap, panics := time.Duration(0), h.panics && h.rng.IntN(3) == 0
	if h.naps > 0 {
		nap = time.Duration(h.rng.Int64N(int64(h.naps)))
	}
	h.mu.Unlock()
	if nap > 0 {
		time.Sleep(nap)
	}
	if panics {
		panic("panic of the simulation")
	}
}

func (h *simHandler) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.naps = 0
}

func (h *simHandler) callsSoFar() []simCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

// addHandler adds a handler that is slow, panics or resyncs at random.
func (s *simulation) addHandler() {
	h := &simHandler{removedAt: -1, rng: rand.New(rand.NewPCG(uint64(len(s.handlers)), 11)), repeats: s.functions, initial: map[string]string{}}
	o := HandlerOptions{Logger: &silent}
	if len(s.handlers) > 0 {
		h.naps = []time.Duration{0, time.Second, time.Minute}[s.rng.IntN(3)]
		h.panics = s.rng.IntN(3) == 0
		if h.resyncs = s.rng.IntN(3) == 0; h.resyncs {
			period := 30 * time.Second
			o.ResyncPeriod = &period
		}
		synctest.Wait()
		h.from = len(s.handlers[0].callsSoFar())
	}
	for _, obj := range s.informer.GetStore().List() {
		h.initial[obj.(metav1.Object).GetName()] = stateOf(obj)
	}
	handle, err := s.informer.AddEventHandlerWithOptions(h, o)
	if err != nil {
		s.failf("%v", err)
	}
	h.handle = handle
	s.handlers = append(s.handlers, h)
	s.note("added handler %d: naps %s, panics %t, resyncs %t", len(s.handlers)-1, h.naps, h.panics, h.resyncs)
}

func (s *simulation) removeHandler() {
	n := s.rng.IntN(len(s.handlers))
	h := s.handlers[n]
	if n == 0 || h.removedAt >= 0 {
		return
	}
	if err := s.informer.RemoveEventHandler(h.handle); err != nil {
		s.failf("%v", err)
	}
	h.removedAt = len(h.callsSoFar())
	s.note("removed handler %d", n)
}

// check returns an error if the callbacks of the handler are wrong.
func (h *simHandler) check(first *simHandler, end map[string]string) error {
	known, changes, err := h.history()
	if err != nil {
		return err
	}
	_, all, err := first.history()
	if err != nil {
		return err
	}
	want := all[h.from:]
	if h.from > 0 || len(h.initial) > 0 {
		start := map[string]string{}
		for len(changes) > 0 && len(start) < len(h.initial) && changes[0].initial {
			start[changes[0].key] = changes[0].new
			changes = changes[1:]
		}
		if !maps.Equal(start, h.initial) && h.removedAt < 0 {
			return fmt.Errorf("the store had %v when it was added, but its first callbacks were %v", h.initial, start)
		}
	}
	if h.removedAt >= 0 {
		if len(h.calls) > h.removedAt {
			return fmt.Errorf("%d callbacks began after it was removed", len(h.calls)-h.removedAt)
		}
		want = want[:min(len(changes), len(want))]
	} else if !maps.Equal(known, end) {
		return fmt.Errorf("it has seen %v, but the server has %v", known, end)
	} else if !h.handle.HasSynced() {
		return fmt.Errorf("it has not synced")
	}
	if !slices.Equal(changes, want) {
		return fmt.Errorf("after it was added, its events differ from those of the first handler, or their order does")
	}
	return nil
}

// history checks the callbacks without resyncs: for each key an add, updates
// from the previous state, and a delete.
func (h *simHandler) history() (known map[string]string, changes []simCall, err error) {
	known, uids := map[string]string{}, map[string]string{}
	for n, call := range h.callsSoFar() {
		last, knows := known[call.key]
		legal := false
		switch call.kind {
		case "add":
			legal = !knows
		case "update":
			legal = knows && call.old == last && (call.old != call.new || call.again && h.resyncs || h.repeats) && uidOf(call.new) == uids[call.key]
		case "delete":
			legal = knows && uidOf(call.old) == uids[call.key] && (!call.unknown || call.old == last)
		}
		if !legal {
			return nil, nil, fmt.Errorf("callback %d, %+v: its last state was %q", n, call, last)
		}
		if call.again {
			continue
		}
		changes = append(changes, call)
		if call.kind == "delete" {
			delete(known, call.key)
			continue
		}
		known[call.key], uids[call.key] = call.new, uidOf(call.new)
	}
	return known, changes, nil
}

// uidOf returns the UID in a state.
func uidOf(state string) string {
	from, to := slices.Index([]byte(state), '/'), slices.Index([]byte(state), '#')
	return state[from+1 : to]
}
