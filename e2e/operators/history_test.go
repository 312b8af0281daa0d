package operators

import (
	"fmt"
	"sync"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// history checks the notifications of a handler: for each key OnAdd, then OnUpdates, then
// OnDelete, each with the previous state.
type history[T rest.Object] struct {
	mu      sync.Mutex
	last    map[string]T
	initial map[string]bool // whether the last OnAdd of a key was initial
	adds    map[string]int
	deletes map[string]int
	wrong   []string
}

func newHistory[T rest.Object]() *history[T] {
	return &history[T]{last: map[string]T{}, initial: map[string]bool{}, adds: map[string]int{}, deletes: map[string]int{}}
}

func (h *history[T]) handler() informer.ResourceEventHandler[T] {
	return informer.ResourceEventHandlerFuncs[T]{
		AddFunc: func(o T, initial bool) {
			h.record(o, func(key string, known bool, _ T) bool {
				h.last[key], h.initial[key] = o, initial
				h.adds[key]++
				return !known
			})
		},
		UpdateFunc: func(old, o T) {
			h.record(o, func(key string, known bool, last T) bool {
				h.last[key] = o
				return known && last.GetResourceVersion() == old.GetResourceVersion() && last.GetUID() == o.GetUID()
			})
		},
		DeleteFunc: func(o T, _ bool) {
			h.record(o, func(key string, known bool, last T) bool {
				delete(h.last, key)
				h.deletes[key]++
				return known && last.GetUID() == o.GetUID()
			})
		},
	}
}

func (h *history[T]) record(o T, legal func(key string, known bool, last T) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := o.GetNamespace() + "/" + o.GetName()
	last, known := h.last[key]
	if !legal(key, known, last) {
		h.wrong = append(h.wrong, fmt.Sprintf("%s at version %s", key, o.GetResourceVersion()))
	}
}

// states returns the last version of each object.
func (h *history[T]) states() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	states := map[string]string{}
	for key, o := range h.last {
		states[key] = o.GetResourceVersion()
	}
	return states
}

// counts returns how often a key was added and deleted, and whether the last add was initial.
func (h *history[T]) counts(key string) (adds, deletes int, initial bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.adds[key], h.deletes[key], h.initial[key]
}

// faults returns the notifications that were not legal.
func (h *history[T]) faults() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.wrong
}
