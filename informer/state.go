package informer

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/reflector"
)

// State is the state of an informer, for health endpoints, debug pages and tests.
type State struct {
	Name string
	// Resource is the resource of the source, zero if it does not provide one.
	Resource schema.GroupVersionResource
	// Kind is the kind in the source's ResourceInfo, "" if it does not provide one.
	Kind string
	// Running: Run has been called and has not returned. Stopped: it has returned.
	Running, Stopped bool
	// Synced: the first list is in the store.
	Synced bool
	// Version is the result of SharedInformer.Version. Epoch is how often the
	// server's versions have gone back, as seen by the store.
	Version string
	Epoch   int
	// Objects is the number of stored objects, Queued the number of changes in the
	// queue.
	Objects, Queued int
	// Source is the state of the reflector.
	Source reflector.State
	// Handlers are the handlers in the order in which they were added.
	Handlers []HandlerState
}

// State returns a copy of the current state. It is cheap, takes no lock, and may be
// called at any time.
func (i *SharedInformer[T]) State() State {
	s := i.shared
	return State{
		Name:     s.name,
		Resource: s.info.GroupVersionResource,
		Kind:     s.info.Kind,
		Running:  s.lifecycle.running(),
		Stopped:  s.lifecycle.stopped(),
		Synced:   s.queue.HasSynced(),
		Version:  s.store.Version(),
		Epoch:    int(s.versionWaiters.epoch.Load()),
		Objects:  s.store.Len(),
		Queued:   s.queue.Len(),
		Source:   s.controller.State(),
		Handlers: s.processor.states(),
	}
}

// HandlerState is the state of one handler.
type HandlerState struct {
	Name   string
	Synced bool
	// Pending is the number of waiting notifications, including the rest of an
	// initial list or a resync.
	Pending int
	// Merged counts the notifications that were not delivered individually because
	// the handler was behind: they were merged, or cancelled each other. Panics
	// counts the callbacks that panicked or ended their goroutine.
	Merged, Panics uint64
	// Since is when the running callback began, zero if none is running. For a
	// series of quick callbacks it is when the series began.
	Since time.Time
}
