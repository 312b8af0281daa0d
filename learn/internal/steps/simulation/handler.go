package simulation

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// handler records its calls, and passes them to a checker of the solution.
type handler struct {
	name    string
	longest time.Duration // of a call

	mu      sync.Mutex
	rng     *rand.Rand
	calls   []stack.Call
	checker stack.Checker
	found   error // the first one of the checker
	after   int   // the number of calls before found
}

var _ stack.Handler = (*handler)(nil)

// addHandler adds a handler, which may be slow.
func (s *simulation) addHandler() {
	h := &handler{
		name:    fmt.Sprint("handler ", len(s.handlers)+1),
		longest: []time.Duration{0, 0, 3 * time.Second}[s.rng.IntN(3)],
		rng:     rand.New(rand.NewPCG(s.seed, uint64(len(s.handlers)))),
		checker: newChecker(s.t, s.parts),
	}
	s.handlers = append(s.handlers, h)
	s.logf("add %s, whose calls take up to %v", h.name, h.longest)
	s.t.Unblocked("AddEventHandler", func() { s.program.Informer.AddEventHandler(h) })
}

// OnAdd implements stack.Handler.
func (h *handler) OnAdd(object stack.Object, initial bool) {
	h.record(stack.Call{Type: "add", New: object, Initial: initial})
}

// OnUpdate implements stack.Handler.
func (h *handler) OnUpdate(old, object stack.Object) {
	h.record(stack.Call{Type: "update", Old: old, New: object})
}

// OnDelete implements stack.Handler.
func (h *handler) OnDelete(object stack.Object, _ bool) {
	h.record(stack.Call{Type: "delete", Old: object})
}

func (h *handler) record(call stack.Call) {
	time.Sleep(h.observe(call))
}

// observe returns the time that the call takes.
func (h *handler) observe(call stack.Call) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, call)
	if err := h.checker.Observe(call); err != nil && h.found == nil {
		h.found, h.after = err, len(h.calls)-1
	}
	if h.longest == 0 {
		return 0
	}
	return time.Duration(h.rng.Int64N(int64(h.longest)))
}
