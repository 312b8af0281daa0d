package informer

import "errors"

// Each of these names a mistake of the caller's, but for ErrNewEpoch.
var (
	// ErrNotRunning: the informer has not been run, so there is nothing to wait
	// for.
	ErrNotRunning = errors.New("informer: it is not running")
	// ErrRunning: Run of an informer that runs.
	ErrRunning = errors.New("informer: it is running already")
	// ErrStopped: the informer has stopped, and does not start again.
	ErrStopped = errors.New("informer: it has stopped")
	// ErrNoSource: the ListerWatcher is nil, or a nil pointer in an interface.
	ErrNoSource = errors.New("informer: no ListerWatcher")
	// ErrNoHandler: the handler is nil, or a nil pointer in an interface.
	ErrNoHandler = errors.New("informer: no handler")
	// ErrHandlerOptions: an option of a handler has no meaning, such as a
	// negative period.
	ErrHandlerOptions = errors.New("informer: the options of a handler are wrong")
	// ErrNotStruct: T is not a pointer to a struct.
	ErrNotStruct = errors.New("informer: the type of the objects must be a pointer to a struct, such as *v1.Pod or *Widget")
	// ErrNoQueue: the Config of a Controller has no Queue.
	ErrNoQueue = errors.New("informer: the Config has no Queue")
	// ErrNoProcess: the Config of a Controller has neither Process nor
	// ProcessBatch, or both.
	ErrNoProcess = errors.New("informer: the Config needs either Process or ProcessBatch")
	// ErrNoVersion: what was to be waited for is "", which is no version.
	ErrNoVersion = errors.New("informer: no version to wait for")
	// ErrReleased: the informer has been given back to its factory.
	ErrReleased = errors.New("informer: it has been released")
	// ErrFactoryRuns: Run of an informer that a factory has made: its Start does
	// that.
	ErrFactoryRuns = errors.New("informer: its factory runs it")
	// ErrOtherOptions: the factory has such an informer, and with other options
	// than are asked for.
	ErrOtherOptions = errors.New("informer: there is one of the same objects, with other options")
	// ErrNoNamespace: the source does not know how to show one namespace only.
	ErrNoNamespace = errors.New("informer: the source cannot be narrowed to a namespace")
	// ErrNewEpoch: the server's versions have gone back, so that the version
	// that was waited for is not to come.
	ErrNewEpoch = errors.New("informer: the server's versions have gone back")
)
