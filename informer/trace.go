package informer

import (
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/reflector"
)

// Trace is a set of functions that observe an event on its way through an informer.
// They are called synchronously and must not block. Nil functions are not called
// and have no cost. They are called concurrently: Received by the goroutine that
// reads the source, Popped, Stored, Applied and Merged by the goroutine that writes
// the store, Called and Returned by the goroutine of each handler. No lock is held
// during a call.
//
// Package debug has a Trace that records the events ([debug.NewTimeline]).
//
// [debug.NewTimeline]: https://pkg.go.dev/github.com/thinformer/thinformer/informer/debug#NewTimeline
type Trace struct {
	// Received: a watch event was received, before it is filtered. Objects of the
	// initial list or a relist are not received; they begin with Stored.
	Received func(TraceInfo)
	// Popped: a change was taken from the queue, and is stored next. Its Event is the
	// type of the delta.
	Popped func(TraceInfo)
	// Stored: the change is in the store, and the handlers are notified next.
	Stored func(TraceInfo)
	// Called: a handler's callback begins. Returned: it has ended, possibly by a
	// panic.
	Called, Returned func(TraceInfo)
	// Merged: the handler is behind, and the notification will not be delivered
	// individually: it was merged into a later one, or both cancel each other.
	Merged func(TraceInfo)
	// Applied: a batch of changes or bookmarks is in the store, and its
	// notifications are in the log of the handlers.
	Applied func(BatchInfo)
	// Reflector observes the decisions of the reflector, by its goroutine.
	Reflector *reflector.Trace
}

// BatchInfo describes a batch for Trace.Applied.
type BatchInfo struct {
	// Informer is the name of the informer.
	Informer string
	// Changes is the number of applied changes, Queued the number in the queue.
	Changes, Queued int
	// Version is the version of the store after the batch. For an informer of several
	// namespaces it is that of the namespace whose changes the batch has.
	Version string
	// Duration is the time that it took to apply the batch.
	Duration time.Duration
}

// TraceInfo describes an event for the functions of a Trace.
type TraceInfo struct {
	// Informer and Handler are names. Handler is "" if the stage has no handler.
	Informer, Handler string
	// Key and Version are those of the object. An event has the same version at all
	// stages. A deletion that was not observed has the version of the last known
	// state. Event is ADDED, MODIFIED or DELETED for events of the source; Added,
	// Updated, Deleted or Replaced for changes in the queue; add, update or delete for
	// the store and the handlers.
	Key, Version, Event string
}

// traceApplied returns a function that reports the batch to the trace.
func (s *shared[T]) traceApplied(f *feed[T], changes int) func() {
	if s.options.Trace == nil || s.options.Trace.Applied == nil {
		return func() {}
	}
	start := time.Now()
	return func() {
		s.options.Trace.Applied(BatchInfo{
			Informer: s.name, Changes: changes, Queued: f.queue.Len(), Version: f.version(), Duration: time.Since(start),
		})
	}
}

// tracePopped reports the changes of a batch to the trace.
func (s *shared[T]) tracePopped(deltas []deltafifo.Delta[T]) {
	if s.options.Trace == nil || s.options.Trace.Popped == nil {
		return
	}
	for i := range deltas {
		d := &deltas[i]
		_, version := s.storeConfig.MetaFunc(d.Object)
		s.options.Trace.Popped(TraceInfo{Informer: s.name, Key: d.Key, Version: version, Event: d.Type.String()})
	}
}

// traceStored reports the stored changes to the trace.
func (s *shared[T]) traceStored(notifications []notification[T]) {
	if s.options.Trace == nil || s.options.Trace.Stored == nil {
		return
	}
	for i := range notifications {
		if n := &notifications[i]; n.kind != synced {
			s.options.Trace.Stored(s.processor.traceInfo(n, ""))
		}
	}
}

// reflectorTrace returns the trace of the reflector: that of the options, which also
// reports received events.
func (s *shared[T]) reflectorTrace() *reflector.Trace {
	if s.options.Trace == nil {
		return nil
	}
	var trace reflector.Trace
	if s.options.Trace.Reflector != nil {
		trace = *s.options.Trace.Reflector
	}
	if s.options.Trace.Received == nil {
		return &trace
	}
	event := trace.Event
	trace.Event = func(t watch.EventType, object any, version string) {
		s.traceReceived(t, object)
		if event != nil {
			event(t, object, version)
		}
	}
	return &trace
}

func (s *shared[T]) traceReceived(t watch.EventType, object any) {
	typed, ok := object.(T)
	if !ok {
		return
	}
	if key, err := s.storeConfig.KeyFunc(typed); err == nil {
		_, version := s.storeConfig.MetaFunc(typed)
		s.options.Trace.Received(TraceInfo{Informer: s.name, Key: key, Version: version, Event: string(t)})
	}
}

// keyOf returns the key of n, for logs and traces.
func (p *processor[T]) keyOf(n *notification[T]) string {
	if n.key != "" || n.kind == synced {
		return n.key
	}
	key, _ := p.storeConfig.KeyFunc(n.new)
	return key
}

// traceInfo returns the argument of Trace functions for n. handler is "" if the
// stage has no handler.
func (p *processor[T]) traceInfo(n *notification[T], handler string) TraceInfo {
	info := TraceInfo{Informer: p.name, Handler: handler, Key: p.keyOf(n), Event: n.kind.String()}
	_, info.Version = p.storeConfig.MetaFunc(n.new)
	return info
}
