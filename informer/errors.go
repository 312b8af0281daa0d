package informer

import "errors"

// Errors in the arguments of FollowNamespaces, which programs have no reason to test for.
var (
	errNilFollow    = errors.New("informer: FollowNamespaces was called with a nil informer")
	errNoNamespaces = errors.New("informer: FollowNamespaces needs an informer of Namespaces")
)

// All errors but ErrNewEpoch, ErrNotCovered and ErrNotListed report a mistake of the caller.
var (
	// ErrNotRunning: Run has not been called, so that a wait would never end.
	ErrNotRunning = errors.New("informer: not running")
	// ErrRunning: Run was called while the informer runs.
	ErrRunning = errors.New("informer: already running")
	// ErrStopped: the informer has stopped. It cannot be started again.
	ErrStopped = errors.New("informer: stopped")
	// ErrNoSource: the ListerWatcher is nil, or a nil pointer in an interface.
	ErrNoSource = errors.New("informer: the ListerWatcher is nil")
	// ErrNoHandler: the handler is nil, or a nil pointer in an interface.
	ErrNoHandler = errors.New("informer: the handler is nil")
	// ErrHandlerOptions: a field of HandlerOptions is invalid, such as a negative
	// period.
	ErrHandlerOptions = errors.New("informer: invalid HandlerOptions")
	// ErrNotStruct: T is not a pointer to a struct.
	ErrNotStruct = errors.New("informer: the object type must be a pointer to a struct, such as *v1.Pod or *Widget")
	// ErrNoQueue: the Config of a Controller has no Queue.
	ErrNoQueue = errors.New("informer: the Config has no Queue")
	// ErrNoProcess: the Config of a Controller has neither Process nor
	// ProcessBatch, or both.
	ErrNoProcess = errors.New("informer: the Config must have exactly one of Process and ProcessBatch")
	// ErrNoVersion: the version to wait for is "".
	ErrNoVersion = errors.New("informer: the version to wait for is empty")
	// ErrReleased: Release was called on this informer.
	ErrReleased = errors.New("informer: released")
	// ErrRunByFactory: Run was called on an informer of a factory. Factory.Start
	// runs it.
	ErrRunByFactory = errors.New("informer: the informer is run by its factory")
	// ErrOptionsConflict: the factory has an informer for the same objects with
	// different options.
	ErrOptionsConflict = errors.New("informer: the factory has an informer for the same objects with different options")
	// ErrNoNamespace: the source or the informer cannot be restricted to a namespace, or
	// the namespace has no valid name.
	ErrNoNamespace = errors.New("informer: the objects cannot be restricted to these namespaces")
	// ErrNotCovered: the informer does not cover the namespace, or no longer.
	ErrNotCovered = errors.New("informer: the namespace is not covered")
	// ErrNotListed: the store has no list of the namespace yet, so it is not known which
	// objects exist.
	ErrNotListed = errors.New("informer: there is no list")
	// ErrNoFactory: For was called with a nil Factory.
	ErrNoFactory = errors.New("informer: the factory is nil: create one with NewFactory")
	// ErrNoContext: the ctx of Run, Start or a wait is nil.
	ErrNoContext = errors.New("informer: the context is nil: pass one that ends with the program, or context.Background()")
	// ErrQueryUnsupported: the source cannot list a single object, since it is neither a
	// rest.View or rest.Resource, nor derived from one by package listwatch.
	ErrQueryUnsupported = errors.New("informer: the source cannot list a single object")
	// ErrNewEpoch: the server's versions have gone back, so the version that was
	// waited for may never be reached.
	ErrNewEpoch = errors.New("informer: the server's versions have gone back")
)
