package workqueue

import (
	"maps"
	"slices"
	"sync"
)

// workload records what workers do with the keys of a queue.
type workload struct {
	mu      sync.Mutex
	pending map[string]bool // added, and not begun since
	working map[string]bool
}

func newWorkload() *workload {
	return &workload{pending: map[string]bool{}, working: map[string]bool{}}
}

// added records that the key is about to be added.
func (w *workload) added(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[key] = true
}

// begin reports whether no other worker has the key.
func (w *workload) begin(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pending, key)
	free := !w.working[key]
	w.working[key] = true
	return free
}

func (w *workload) end(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.working, key)
}

// lost returns the first key that was added and not begun since, or "".
func (w *workload) lost() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == 0 {
		return ""
	}
	return slices.Min(slices.Collect(maps.Keys(w.pending)))
}
