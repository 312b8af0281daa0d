package informer

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/reflector"
)

// State is what an informer is doing and how it fares: for health endpoints,
// debug pages and tests. It is a copy; taking it costs no lock.
type State struct {
	Name string
	// Resource is what the source serves, zero if it does not tell.
	Resource schema.GroupVersionResource
	// Running: Run has been called and has not returned. Stopped: it has returned.
	Running, Stopped bool
	// Synced: the first list is in the store.
	Synced bool
	// Version is what Version returns, Epoch how often the server's versions
	// have gone back as far as the store has followed.
	Version string
	Epoch   int
	// Objects is how many are stored, Queued how many changes wait to be.
	Objects, Queued int
	// Source is how the reflector fares.
	Source reflector.State
	// Handlers, in the order in which they were added.
	Handlers []HandlerState
}

// State tells what the informer is doing. It costs little and no lock, and may
// be called at any time.
func (i *SharedInformer[T]) State() State {
	s := i.shared
	return State{
		Name:     s.name,
		Resource: s.info.GroupVersionResource,
		Running:  s.life.running(),
		Stopped:  s.life.stopped(),
		Synced:   s.queue.HasSynced(),
		Version:  s.store.Version(),
		Epoch:    int(s.versions.epoch.Load()),
		Objects:  s.store.Len(),
		Queued:   s.queue.Len(),
		Source:   s.controller.State(),
		Handlers: s.processor.states(),
	}
}

// HandlerState is how one handler keeps up.
type HandlerState struct {
	Name   string
	Synced bool
	// Pending is how many notifications wait for it, with what it has yet to be
	// told of an initial list or a resync.
	Pending int
	// Merged counts those that it was not told by themselves because too many
	// waited: they were merged into others, or cancelled each other. Panics
	// counts the callbacks that panicked, or ended their goroutine.
	Merged, Panics uint64
	// Since is when the callback that runs now began, zero if none does. Quick
	// callbacks run one right after the other; then it is when that began.
	Since time.Time
}
