package controller

import "errors"

// Errors that report incorrect use or a missed deadline. Test for them with
// [errors.Is].
var (
	// ErrNoReconciler: the Reconciler is nil, or a nil pointer in an interface.
	ErrNoReconciler = errors.New("controller: no Reconciler")
	// ErrNoName: the name of a controller is empty. Logs and states need one.
	ErrNoName = errors.New("controller: no name")
	// ErrOptions: an option is invalid, such as a negative number of workers.
	ErrOptions = errors.New("controller: invalid options")
	// ErrNothingWatched: the controller has no source of keys.
	ErrNothingWatched = errors.New("controller: nothing is watched: call For, Owns, Watches or Channel before Run")
	// ErrNoContext: the ctx of Run is nil.
	ErrNoContext = errors.New("controller: the context is nil: give Run one that ends with the program, or context.Background()")
	// ErrRequeueAfter: a reconcile returned a negative RequeueAfter.
	ErrRequeueAfter = errors.New("controller: RequeueAfter is negative: return 0 for no further call, an error for a retry, or a positive duration")
	// ErrRunning: Run was called while the controller or the Program is running.
	ErrRunning = errors.New("controller: already running")
	// ErrNoInformer: the informer given to For, Owns, Watches, Reads or a tracked read is
	// nil.
	ErrNoInformer = errors.New("controller: the informer is nil")
	// ErrNoController: one of the controllers passed to Run is nil.
	ErrNoController = errors.New("controller: a controller is nil")
	// ErrDuplicateName: two controllers passed to Run have the same name.
	ErrDuplicateName = errors.New("controller: two controllers have the same name")
	// ErrNothingToRun: Run was called with neither controllers nor informers.
	ErrNothingToRun = errors.New("controller: nothing to run: pass a controller, a Factory or Informers")
	// ErrStillRunning: something did not end within its time limit and continues to
	// run.
	ErrStillRunning = errors.New("controller: not ended in time")
	// ErrSyncTimeout: the informers did not sync within RunOptions.SyncTimeout.
	ErrSyncTimeout = errors.New("controller: the informers did not sync in time")
	// ErrNoOwner: Owns was called without a For, so that the kind of the owners is not
	// known.
	ErrNoOwner = errors.New("controller: Owns needs a For with an informer whose ResourceInfo has a Kind")
	// ErrAmbiguousOwner: Owns was called for a controller with For of two different
	// kinds. A key does not contain a kind.
	ErrAmbiguousOwner = errors.New("controller: Owns needs For of a single kind: use one controller for each kind")
	// ErrNotReconciling: the ctx of a tracked read belongs to no reconcile, or to one that
	// has ended. Pass the ctx of Reconcile, or use the methods of the informer.
	ErrNotReconciling = errors.New("controller: not in a reconcile: a tracked read needs the ctx of a Reconcile that has not returned; elsewhere use the methods of the informer")
	// ErrNotRead: the informer of a tracked read is not registered with the controller of
	// the reconcile.
	ErrNotRead = errors.New("controller: the informer is not registered for tracked reads")
	// ErrControllerReference: the controller reference cannot be set. The message says why.
	ErrControllerReference = errors.New("controller: the controller reference cannot be set")
	// ErrFinalize: an argument of Finalize is invalid. The message says which.
	ErrFinalize = errors.New("controller: invalid argument of Finalize")
)
