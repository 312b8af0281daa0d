package informer

// Trace is a set of functions that are told of an event's way through an
// informer, each where it happens: they must not block. Those that are nil cost
// nothing.
type Trace struct {
	// Received: the source has told a change.
	Received func(TraceInfo)
	// Stored: the change is in the store, and waits for the handlers.
	Stored func(TraceInfo)
	// Called: a handler's callback for it begins; Returned: it has ended.
	Called, Returned func(TraceInfo)
	// Merged: too many waited for a handler, and this one became part of
	// another.
	Merged func(TraceInfo)
}

// TraceInfo says what a function of a Trace is told of.
type TraceInfo struct {
	// Informer and Handler are names; Handler is "" where none is meant.
	Informer, Handler string
	// Key and Version are the object's. Event is what happened to it: ADDED,
	// MODIFIED or DELETED from the source; add, update or delete to the store
	// and handlers.
	Key, Version, Event string
}
