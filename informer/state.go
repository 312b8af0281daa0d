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
	// Synced: the first list is in the store. An informer of several namespaces does not
	// wait for those that the server forbids.
	Synced bool
	// Version is the result of SharedInformer.Version. Epoch is how often the
	// server's versions have gone back, as seen by the store; for an informer of several
	// namespaces it is the sum over the namespaces.
	Version string
	Epoch   int
	// Objects is the number of stored objects, Queued the number of changes in the
	// queue.
	Objects, Queued int
	// Bodies is the number of bodies that [Bodies] keep, BodyBytes the estimate of their
	// memory that BodyOptions.MaxBytes bounds. The State of the informer of the metadata,
	// which Factory.Informers returns, has the sums for all Bodies that share it.
	Bodies    int
	BodyBytes int64
	// Source is the state of the reflector. An informer of several namespaces has one
	// for each; Source is then that of the namespace that needs attention most, the
	// first of Namespaces, and its Name is not that of the informer.
	Source reflector.State
	// Namespaces are the namespaces of an informer that [ForNamespaces] returned, at
	// most 100: first those that have not synced, then those whose source fails now, then
	// those that lack objects or recover, then the others, each in the order of their
	// names. NamespaceCount is the number of all.
	Namespaces     []NamespaceState
	NamespaceCount int
	// Handlers are the handlers in the order in which they were added.
	Handlers []HandlerState
}

// NamespaceState is the state of one namespace of an informer.
type NamespaceState struct {
	Namespace string
	// Synced: the first list of the namespace is in the store.
	Synced bool
	// Version and Epoch are the results of SharedInformer.VersionIn.
	Version string
	Epoch   int
	// Source is the state of the reflector of the namespace.
	Source reflector.State
}

// State returns a copy of the current state. It is cheap, waits for no change of the
// store, and may be called at any time.
func (i *SharedInformer[T]) State() State {
	s := i.shared
	state := State{
		Name:     s.name,
		Resource: s.info.GroupVersionResource,
		Kind:     s.info.Kind,
		Running:  s.lifecycle.running(),
		Stopped:  s.lifecycle.stopped(),
		Synced:   s.hasSynced(),
		Version:  s.version(),
		Objects:  s.store.Len(),
		Source:   s.sourceState(),
		Handlers: s.processor.states(),

		Bodies:    int(s.bodies.bodies.Load()),
		BodyBytes: s.bodies.bytes.Load(),
	}
	for _, f := range s.feeds.all() {
		state.Epoch += f.epoch() - f.firstEpoch
		state.Queued += f.queue.Len()
	}
	state.Namespaces, state.NamespaceCount = s.feeds.namespaceStates()
	return state
}

// sourceState returns the state of the reflector that needs attention most. Without
// feeds it has the reason for that.
func (s *shared[T]) sourceState() reflector.State {
	all := s.feeds.all()
	if len(all) == 0 {
		return reflector.State{Name: s.name, Phase: reflector.PhaseIdle, Err: s.feeds.pendingReason()}
	}
	worst := all[0].state()
	for _, f := range all[1:] {
		if state := f.state(); state.urgency() > worst.urgency() {
			worst = state
		}
	}
	return worst.Source
}

func (f *feed[T]) state() NamespaceState {
	version, epoch := f.version(), f.epoch()
	return NamespaceState{
		Namespace: f.namespace, Synced: f.queue.HasSynced(), Version: version, Epoch: epoch, Source: f.controller.State(),
	}
}

// urgency is higher if the namespace needs more attention. A failure counts less when
// the namespace watches again: otherwise, after an outage of all namespaces, those that
// work would hide the one that does not.
func (n *NamespaceState) urgency() int {
	switch failed := n.Source.Err != nil; {
	case !n.Synced && failed:
		return 5
	case !n.Synced:
		return 4
	case failed && !n.Source.Recovering:
		return 3
	case n.Source.ListUndecodable > 0:
		return 2
	case failed:
		return 1
	}
	return 0
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
