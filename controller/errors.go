package controller

import "errors"

// Each of these names a mistake of the caller's.
var (
	// ErrNoReconciler: the Reconciler is nil, or a nil pointer in an interface.
	ErrNoReconciler = errors.New("controller: no Reconciler")
	// ErrNoName: a controller needs a name, which logs and states call it by.
	ErrNoName = errors.New("controller: no name")
	// ErrOptions: an option has no meaning, such as a negative number of workers.
	ErrOptions = errors.New("controller: the options are wrong")
	// ErrNothingWatched: nothing would ever bring the controller a key.
	ErrNothingWatched = errors.New("controller: it watches nothing: call For, Owns, Watches or Channel before Run")
	// ErrRunning: Run of a controller that runs, or For and the like while it
	// does.
	ErrRunning = errors.New("controller: it is running already")
	// ErrNoInformer: the informer given to For, Owns or Watches is nil.
	ErrNoInformer = errors.New("controller: no informer")
	// ErrNoController: one of the controllers given to Run is nil.
	ErrNoController = errors.New("controller: a controller is nil")
	// ErrSameName: two controllers of a Run have one name.
	ErrSameName = errors.New("controller: two controllers have one name")
	// ErrNothingToRun: Run was given neither controllers nor informers.
	ErrNothingToRun = errors.New("controller: nothing to run: there is no controller, no Factory and no Informers")
	// ErrStillRunning: something has not ended in its time. It goes on, on its
	// own.
	ErrStillRunning = errors.New("controller: it has not ended in time")
	// ErrNoOwner: Owns without a For, so that nobody knows what the owners are.
	ErrNoOwner = errors.New("controller: Owns needs a For, of a source that knows its Kind")
	// ErrOwner: an object cannot have such an owner. The message says why.
	ErrOwner = errors.New("controller: the controller reference cannot be set")
	// ErrFinalize: Finalize cannot work with what it was given. The message says
	// what.
	ErrFinalize = errors.New("controller: the arguments of Finalize are wrong")
)
