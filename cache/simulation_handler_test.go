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

// simCall is one callback. again marks a resync, in which old and new are one.
type simCall struct {
	kind, key, old, new     string
	initial, unknown, again bool
}

// simHandler takes down what it is told. The first of a simulation is the measure
// of the others: it is there from the beginning, never slow, and stays.
type simHandler struct {
	handle ResourceEventHandlerRegistration
	// from is how much the first handler had been told when this one was added, and
	// there what the store had.
	from    int
	there   map[string]string
	resyncs bool
	panics  bool
	// leftAt is how much it had been told when it was removed; -1 before.
	leftAt int

	mu   sync.Mutex
	rng  *rand.Rand
	naps time.Duration
	told []simCall
}

// sightOf is a state of an object: which one it is, its version, its content.
func sightOf(obj any) string {
	o := obj.(metav1.Object)
	return fmt.Sprintf("%s@%s/%s#%s", o.GetName(), o.GetResourceVersion(), o.GetUID(), o.GetAnnotations()["write"])
}

func (h *simHandler) OnAdd(obj any, initial bool) {
	h.take(simCall{kind: "add", key: obj.(metav1.Object).GetName(), new: sightOf(obj), initial: initial})
}

func (h *simHandler) OnUpdate(oldObj, newObj any) {
	h.take(simCall{kind: "update", key: newObj.(metav1.Object).GetName(), old: sightOf(oldObj), new: sightOf(newObj), again: oldObj == newObj})
}

func (h *simHandler) OnDelete(obj any) {
	tombstone, unknown := obj.(DeletedFinalStateUnknown)
	if unknown {
		obj = tombstone.Obj
	}
	call := simCall{kind: "delete", key: obj.(metav1.Object).GetName(), old: sightOf(obj), unknown: unknown}
	if key, err := DeletionHandlingMetaNamespaceKeyFunc(obj); unknown && (err != nil || key != tombstone.Key) {
		call.kind = "delete with the wrong key " + tombstone.Key
	}
	h.take(call)
}

func (h *simHandler) take(call simCall) {
	h.mu.Lock()
	h.told = append(h.told, call)
	nap, panics := time.Duration(0), h.panics && h.rng.IntN(3) == 0
	if h.naps > 0 {
		nap = time.Duration(h.rng.Int64N(int64(h.naps)))
	}
	h.mu.Unlock()
	if nap > 0 {
		time.Sleep(nap)
	}
	if panics {
		panic("of the simulation")
	}
}

func (h *simHandler) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.naps = 0
}

func (h *simHandler) soFar() []simCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.told)
}

// addHandler adds one that is slow, panics, or resyncs, at random.
func (s *simulation) addHandler() {
	h := &simHandler{leftAt: -1, rng: rand.New(rand.NewPCG(uint64(len(s.handlers)), 11)), there: map[string]string{}}
	o := HandlerOptions{Logger: &silent}
	if len(s.handlers) > 0 {
		h.naps = []time.Duration{0, time.Second, time.Minute}[s.rng.IntN(3)]
		h.panics = s.rng.IntN(3) == 0
		if h.resyncs = s.rng.IntN(3) == 0; h.resyncs {
			period := 30 * time.Second
			o.ResyncPeriod = &period
		}
		synctest.Wait()
		h.from = len(s.handlers[0].soFar())
	}
	for _, obj := range s.informer.GetStore().List() {
		h.there[obj.(metav1.Object).GetName()] = sightOf(obj)
	}
	handle, err := s.informer.AddEventHandlerWithOptions(h, o)
	if err != nil {
		s.failf("%v", err)
	}
	h.handle = handle
	s.handlers = append(s.handlers, h)
	s.note("handler %d is there: naps %s, panics %t, resyncs %t", len(s.handlers)-1, h.naps, h.panics, h.resyncs)
}

func (s *simulation) removeHandler() {
	n := s.rng.IntN(len(s.handlers))
	h := s.handlers[n]
	if n == 0 || h.leftAt >= 0 {
		return
	}
	if err := s.informer.RemoveEventHandler(h.handle); err != nil {
		s.failf("%v", err)
	}
	h.leftAt = len(h.soFar())
	s.note("handler %d is removed", n)
}

// check says what is wrong with what the handler was told.
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
	if h.from > 0 || len(h.there) > 0 {
		start := map[string]string{}
		for len(changes) > 0 && len(start) < len(h.there) && changes[0].initial {
			start[changes[0].key] = changes[0].new
			changes = changes[1:]
		}
		if !maps.Equal(start, h.there) && h.leftAt < 0 {
			return fmt.Errorf("it was added when the store had %v, and was told first of %v", h.there, start)
		}
	}
	if h.leftAt >= 0 {
		if len(h.told) > h.leftAt {
			return fmt.Errorf("%d callbacks have begun after it was removed", len(h.told)-h.leftAt)
		}
		want = want[:min(len(changes), len(want))]
	} else if !maps.Equal(known, end) {
		return fmt.Errorf("it knows %v, and the server has %v", known, end)
	} else if !h.handle.HasSynced() {
		return fmt.Errorf("it is not synced")
	}
	if !slices.Equal(changes, want) {
		return fmt.Errorf("from its addition on it was told other events than the first handler, or in another order")
	}
	return nil
}

// history follows what the handler was told, without its resyncs: for each key
// an add, updates of what was seen last, a delete.
func (h *simHandler) history() (known map[string]string, changes []simCall, err error) {
	known, uids := map[string]string{}, map[string]string{}
	for n, call := range h.soFar() {
		last, knows := known[call.key]
		legal := false
		switch call.kind {
		case "add":
			legal = !knows
		case "update":
			legal = knows && call.old == last && (call.old != call.new || call.again && h.resyncs) && uidOf(call.new) == uids[call.key]
		case "delete":
			legal = knows && uidOf(call.old) == uids[call.key] && (!call.unknown || call.old == last)
		}
		if !legal {
			return nil, nil, fmt.Errorf("callback %d, %+v: it saw %q last", n, call, last)
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

// uidOf is the UID in a sight.
func uidOf(sight string) string {
	from, to := slices.Index([]byte(sight), '/'), slices.Index([]byte(sight), '#')
	return sight[from+1 : to]
}
