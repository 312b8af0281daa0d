package informer

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// simHandler records its callbacks, and may be slow or panic.
type simHandler struct {
	log          *simLog
	options      HandlerOptions
	registration atomic.Pointer[Registration]
	// maxSleep is the maximal duration of callbacks. One of panics callbacks panics. 0
	// means never.
	maxSleep time.Duration
	panics   int

	// The position of the source and of the reference handler when this one was added.
	sourceFrom, referenceFrom int
	first                     map[string]objectState

	mu        sync.Mutex
	rng       *rand.Rand
	ticks     int
	callbacks []callback
	// removedAt is the number of callbacks that had begun when Remove returned, -1
	// before.
	removedAt int
}

var _ ResourceEventHandler[*simObject] = (*simHandler)(nil)

// OnAdd implements ResourceEventHandler.
func (h *simHandler) OnAdd(obj *simObject, initial bool) {
	h.record(callback{kind: added, key: obj.key(), new: obj.state(), initial: initial})
}

// OnUpdate implements ResourceEventHandler.
func (h *simHandler) OnUpdate(old, obj *simObject) {
	h.record(callback{kind: updated, key: obj.key(), old: old.state(), new: obj.state(), same: old == obj})
}

// OnDelete implements ResourceEventHandler.
func (h *simHandler) OnDelete(obj *simObject, unknown bool) {
	h.record(callback{kind: deleted, key: obj.key(), old: obj.state(), unknown: unknown})
}

func (h *simHandler) record(call callback) {
	call.at = h.log.since()
	r := h.registration.Load()
	call.synced = r != nil && r.HasSynced()
	h.mu.Lock()
	h.ticks++
	call.begin, call.end = h.ticks, h.ticks
	n := len(h.callbacks)
	h.callbacks = append(h.callbacks, call)
	var sleep time.Duration
	if h.maxSleep > 0 && h.rng.IntN(2) == 0 {
		sleep = time.Duration(h.rng.Int64N(int64(h.maxSleep)))
	}
	panics := h.panics > 0 && h.rng.IntN(h.panics) == 0
	h.mu.Unlock()
	h.log.add(h.options.Name, "%s, synced %t", call, call.synced)
	if sleep > 0 {
		<-time.After(sleep)
	}
	h.mu.Lock()
	h.ticks++
	h.callbacks[n].end = h.ticks
	h.mu.Unlock()
	if panics {
		panic("a panic of the simulation")
	}
}

// stopSleeping makes all further callbacks fast.
func (h *simHandler) stopSleeping() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.maxSleep = 0
}

func (h *simHandler) callbacksSoFar() []callback {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]callback{}, h.callbacks...)
}

func (h *simHandler) remove() {
	h.registration.Load().Remove()
	h.mu.Lock()
	h.removedAt = len(h.callbacks)
	h.mu.Unlock()
	h.log.add(h.options.Name, "removed after %d callbacks", h.removedAt)
}

func (h *simHandler) isRemoved() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.removedAt >= 0
}

// history returns the history of the handler for the checker.
func (h *simHandler) history(source *simSource, reference *simHandler, end map[string]objectState) *history {
	s := &history{
		name:      h.options.Name,
		callbacks: h.callbacksSoFar(),
		merging:   h.options.MaxPending > 0,
		resyncs:   h.options.ResyncPeriod > 0,
		flags:     true,
		ends:      true,
		source:    source.after(h.sourceFrom),
		first:     h.first,
		synced:    h.registration.Load().HasSynced(),
		end:       end,
	}
	s.late = h.referenceFrom > 0 || h.first != nil
	s.unreadable = source.unreadableSoFar()
	if reference != h {
		s.reference = reference.callbacksSoFar()[h.referenceFrom:]
	}
	if h.isRemoved() {
		s.removed, s.atRemoval, s.end = true, h.removedAt, nil
	}
	return s
}

// received returns the state of the objects according to the callbacks.
func (h *simHandler) received() map[string]objectState {
	state := map[string]objectState{}
	for _, call := range h.callbacksSoFar() {
		if call.kind == deleted {
			delete(state, call.key)
		} else {
			state[call.key] = call.new
		}
	}
	return state
}

// addHandler registers a handler with random properties. The first one is the
// reference: it is never slow, merged, removed, and never panics.
func (s *simulation) addHandler() {
	h := &simHandler{log: s.log, removedAt: -1, rng: rand.New(rand.NewPCG(s.seed, uint64(len(s.handlers)+10)))}
	h.options.Name = fmt.Sprint("h", len(s.handlers))
	if len(s.handlers) > 0 {
		h.options.MaxPending = []int{0, -1, 1, 3, 10}[s.rng.IntN(5)]
		h.maxSleep = []time.Duration{0, 0, time.Second, 20 * time.Second, 5 * time.Minute}[s.rng.IntN(5)]
		h.panics = []int{0, 0, 3}[s.rng.IntN(3)]
		h.options.ResyncPeriod = []time.Duration{0, 0, 7 * time.Second, time.Minute}[s.rng.IntN(4)]
		h.referenceFrom = len(s.handlers[0].callbacksSoFar())
	}
	h.sourceFrom, _ = s.source.at()
	if s.informer.HasSynced() {
		h.first = map[string]objectState{}
		for obj := range s.informer.All() {
			h.first[obj.key()] = obj.state()
		}
	}
	s.log.add(h.options.Name, "added: %+v, maximal sleep %s, panics 1 of %d, %d stored objects", h.options, h.maxSleep, h.panics, len(h.first))
	r, err := s.informer.AddEventHandler(h, h.options)
	if err != nil {
		s.failf("AddEventHandler: %v", err)
	}
	h.registration.Store(r)
	s.handlers = append(s.handlers, h)
}

func (s *simulation) removeHandler() {
	if len(s.handlers) < 2 {
		return
	}
	if h := s.handlers[1+s.rng.IntN(len(s.handlers)-1)]; !h.isRemoved() {
		h.remove()
	}
}
