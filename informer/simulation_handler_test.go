package informer

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// simHandler takes down what it is told, and is slow or panics if it is so.
type simHandler struct {
	log          *simLog
	options      HandlerOptions
	registration atomic.Pointer[Registration]
	// naps are how long its callbacks sleep at most; panics is out of how many
	// one panics. 0 is never.
	naps   time.Duration
	panics int

	// What the story needs: how much the source had handed out, and the reference
	// handler had been told, when this one was added.
	sourceFrom, referenceFrom int
	first                     map[string]sight

	mu    sync.Mutex
	rng   *rand.Rand
	ticks int
	told  []told
	// removedAt is how many callbacks had begun when Remove returned, -1 before.
	removedAt int
}

var _ ResourceEventHandler[*simObject] = (*simHandler)(nil)

// OnAdd is of ResourceEventHandler.
func (h *simHandler) OnAdd(obj *simObject, initial bool) {
	h.take(told{kind: added, key: obj.key(), new: obj.sight(), initial: initial})
}

// OnUpdate is of ResourceEventHandler.
func (h *simHandler) OnUpdate(old, obj *simObject) {
	h.take(told{kind: updated, key: obj.key(), old: old.sight(), new: obj.sight(), same: old == obj})
}

// OnDelete is of ResourceEventHandler.
func (h *simHandler) OnDelete(obj *simObject, unknown bool) {
	h.take(told{kind: deleted, key: obj.key(), old: obj.sight(), unknown: unknown})
}

func (h *simHandler) take(call told) {
	call.at = h.log.since()
	r := h.registration.Load()
	call.synced = r != nil && r.HasSynced()
	h.mu.Lock()
	h.ticks++
	call.begin, call.end = h.ticks, h.ticks
	n := len(h.told)
	h.told = append(h.told, call)
	var nap time.Duration
	if h.naps > 0 && h.rng.IntN(2) == 0 {
		nap = time.Duration(h.rng.Int64N(int64(h.naps)))
	}
	panics := h.panics > 0 && h.rng.IntN(h.panics) == 0
	h.mu.Unlock()
	h.log.add(h.options.Name, "%s, synced %t", call, call.synced)
	if nap > 0 {
		<-time.After(nap)
	}
	h.mu.Lock()
	h.ticks++
	h.told[n].end = h.ticks
	h.mu.Unlock()
	if panics {
		panic("a panic of the simulation")
	}
}

// wake ends its slowness.
func (h *simHandler) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.naps = 0
}

func (h *simHandler) toldSoFar() []told {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]told{}, h.told...)
}

func (h *simHandler) remove() {
	h.registration.Load().Remove()
	h.mu.Lock()
	h.removedAt = len(h.told)
	h.mu.Unlock()
	h.log.add(h.options.Name, "removed after %d callbacks", h.removedAt)
}

func (h *simHandler) isRemoved() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.removedAt >= 0
}

// story is what the checker has to know.
func (h *simHandler) story(source *simSource, reference *simHandler, end map[string]sight) *story {
	s := &story{
		name:    h.options.Name,
		told:    h.toldSoFar(),
		merging: h.options.MaxPending > 0,
		resyncs: h.options.ResyncPeriod > 0,
		flags:   true,
		ends:    true,
		source:  source.after(h.sourceFrom),
		first:   h.first,
		synced:  h.registration.Load().HasSynced(),
		end:     end,
	}
	s.unreadable = source.unreadableSoFar()
	if reference != h {
		s.reference = reference.toldSoFar()[h.referenceFrom:]
	}
	if h.isRemoved() {
		s.removed, s.atRemoval, s.end = true, h.removedAt, nil
	}
	return s
}

// knows is what the handler makes of what it was told.
func (h *simHandler) knows() map[string]sight {
	state := map[string]sight{}
	for _, call := range h.toldSoFar() {
		if call.kind == deleted {
			delete(state, call.key)
		} else {
			state[call.key] = call.new
		}
	}
	return state
}

// addHandler registers another handler; what it is like is random. The first
// one is the reference: it never lags, merges, panics or goes.
func (s *simulation) addHandler() {
	h := &simHandler{log: s.log, removedAt: -1, rng: rand.New(rand.NewPCG(s.seed, uint64(len(s.handlers)+10)))}
	h.options.Name = fmt.Sprint("h", len(s.handlers))
	if len(s.handlers) > 0 {
		h.options.MaxPending = []int{0, -1, 1, 3, 10}[s.rng.IntN(5)]
		h.naps = []time.Duration{0, 0, time.Second, 20 * time.Second, 5 * time.Minute}[s.rng.IntN(5)]
		h.panics = []int{0, 0, 3}[s.rng.IntN(3)]
		h.options.ResyncPeriod = []time.Duration{0, 0, 7 * time.Second, time.Minute}[s.rng.IntN(4)]
		h.referenceFrom = len(s.handlers[0].toldSoFar())
	}
	h.sourceFrom, _ = s.source.at()
	if s.informer.HasSynced() {
		h.first = map[string]sight{}
		for obj := range s.informer.All() {
			h.first[obj.key()] = obj.sight()
		}
	}
	s.log.add(h.options.Name, "added: %+v, naps %s, panics 1 of %d, %d objects are there", h.options, h.naps, h.panics, len(h.first))
	r, err := s.informer.AddEventHandler(h, h.options)
	if err != nil {
		s.failf("add a handler: %v", err)
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
