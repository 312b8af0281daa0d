// Package controller runs reconcilers: it calls a function with the key of an
// object whenever the object or a related object may have changed, and retries
// until the call succeeds.
//
//	informers                        one queue          MaxConcurrentReconciles
//	┌──────────┐ For      Request{                     ┌────────┐
//	│ widgets  ├──────►  Namespace,  ─► priority,  ──► │ worker │──► Reconcile(ctx, Request)
//	├──────────┤ Owns     Name }        each key       ├────────┤       │ error: retry with backoff
//	│ pods     ├──────►               once             │ worker │       │ RequeueAfter: after the delay
//	├──────────┤ Watches                ▲              └────────┘       ▼ nil: done
//	│ configs  ├──────►                 └──────────────────────────── the key may be enqueued again
//	└──────────┘
//
// The inputs are informers and functions that map a changed object to keys. The
// output is calls of Reconcile, which reads from the informers and writes to the
// server. Reconcile must be idempotent.
//
// # Minimal example
//
//	factory := informer.NewFactory(informer.FactoryOptions{})
//	widgets := informer.For(factory, rest.NewView[*Widget](client, widgetInfo), informer.Options[*Widget]{})
//
//	c := controller.New("widgets", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
//		widget, ok := widgets.Get(req.String())
//		if !ok {
//			return controller.Result{}, nil // deleted
//		}
//		...
//	}), controller.Options{})
//	controller.For(c, widgets, controller.GenerationChanged)
//
//	err := controller.Run(ctx, controller.RunOptions{Factory: factory}, c)
//
// # Reads in a reconcile
//
// Get, Find, All and Lister read an informer through the ctx of a reconcile:
//
//	controller.Reads(c, secrets) // informers of For, Owns and Watches need no Reads
//
//	secret, ok, err := controller.Get(ctx, secrets, "shop/tls")
//	pods, err := controller.Find(ctx, byNode, "n1")
//
// They follow these rules:
//
//   - They are fresh: the informer has observed what this reconcile has written. The
//     wait is limited to ten seconds, and then the error says what is missing.
//   - They are tracked: when the object, or its absence, or what has an index value
//     changes, the request is enqueued, without Watches. A change that was read already
//     does not count.
//   - After a success the reads of the reconcile replace those before. After an error,
//     a TerminalError or a panic they are added.
//   - Without a For, they are kept until a reconcile reads nothing. With a For, they are
//     dropped after a success when the object does not exist.
//   - The methods of an informer are unchanged: not tracked, and without a wait.
//
// [NotOwnWrites] ignores the events by which a reconcile sees its own writes. Do not use
// it for a reconcile that continues when its own write comes back. It has a limit for
// patches without a resourceVersion.
//
// [Controller.Explain] says what a request depends on and what has enqueued it.
//
// # Programs
//
// [Run] is the last call of main. It runs the informers, waits for them to sync
// and logs what they wait for, runs the controllers while this replica leads,
// serves health endpoints, and stops everything in order on SIGTERM.
//
//	err := controller.Run(ctx, controller.RunOptions{
//		Factory: factory,
//		Leader:  elector, // of package leader
//		Serve:   controller.HTTP{Address: ":8080"}, // /healthz, /readyz, /debug/
//	}, c, others...)
//
// Tests can call it in the same way, with a context that they cancel. In a
// testing/synctest bubble set NoSignals and use an in-memory Listener for HTTP.
//
// # Kinds that come and go
//
// A [Program] is Run as an object: controllers are added and removed while it runs, for
// example one for each CustomResourceDefinition.
//
//	program := controller.NewProgram(options, definitions)
//	err := program.Run(ctx)
//
//	// in the reconcile of definitions:
//	things := informer.For(factory, rest.NewView[*Thing](client, info), informer.Options[*Thing]{})
//	c := controller.New(info.Resource, reconciler, controller.Options{})
//	controller.For(c, things)
//	err := program.Add(c)
//	...
//	err = program.Remove(ctx, c) // waits for reconciles in progress
//	things.Release()             // after Remove
//
// For, Owns, Watches, Channel, Reads and NotOwnWrites may also be called while their
// controller runs. [Watch.Remove], and the function that Reads returns, detach an informer.
// docs/design/kinds.md has the rules.
//
// # Guarantees
//
// Keys:
//
//   - A key is passed to one call of Reconcile at a time, whatever the number of
//     workers. A change during the call enqueues the key once more.
//   - After the last change of an object its key is reconciled by a call that
//     begins when the store has the change, regardless of earlier failures and
//     even if Run was called again in between.
//   - Changes are merged into one call. Changed keys have priority over the
//     initial keys, and those over the resync. A key that has waited for ten
//     seconds takes precedence.
//   - A key is not reconciled before the informers of the controller have observed
//     what its last reconcile wrote with its ctx. Writes with any other context are
//     not tracked. After [Options.WriteTimeout] a [StaleError] is reported, and the
//     key continues to wait. Writes of objects that an informer's selectors exclude,
//     and writes to another server, do not hold the key.
//
// Results:
//
//   - After an error the key is retried with exponential backoff, from 5
//     milliseconds to 5 minutes by default, counted for each key; see
//     [Options.Backoff]. A success resets it. A [Result] returned with an error is
//     ignored.
//   - After a [TerminalError] the key is not retried.
//   - RequeueAfter enqueues the key at that time. If there are several, the
//     earliest counts, even if a later call requests none.
//   - A panic and runtime.Goexit affect only that call: they count as an error.
//     After [Options.MaxPanics] in a row the key is put into quarantine: it is
//     reconciled only after a change of a watched object, once for each change.
//   - With [Options.ResyncPeriod] the key of every object of For is enqueued once in
//     each period, evenly spread. This replaces the resync of the informers.
//
// Stopping:
//
//   - When the ctx of Run is done, no reconcile begins. Reconciles in progress have
//     StopTimeout to return; then their ctx ends. After another CancelTimeout, Run
//     returns a [StopError] that names the reconciles that are still running.
//   - When leadership is lost, their ctx ends at once.
//   - The ctx of a reconcile ends when the reconcile returns, so that goroutines
//     started by the reconcile can no longer use the ctx.
//   - If an informer ends while the controller runs, Run returns an error, because
//     the controller would miss changes.
//   - A controller can be run again. All keys are then enqueued again.
//
// # Rules for reconcilers
//
//   - Read from the informers, and write with ctx. Objects of an informer are
//     shared: copy them with informer.Clone before changing them.
//   - Compare the current state with the desired state. Do not react to single
//     events: they are merged, and the cache may be stale.
//   - Respect ctx. Instead of waiting, return RequeueAfter, so that the worker is
//     free for other keys.
//   - The informers call mappings and predicates one after another. These must not
//     block. If one panics, the panic is logged and that notification is lost. For
//     tracked reads, a predicate that panics has accepted the update.
//
// # Logs and state
//
// A failure is logged once, with the controller, namespace and name. The same error
// of the same key is logged again when its count has doubled. Conflicts are logged
// at the debug level up to the fifth in a row. Successes are not logged. [Logger]
// returns the logger for messages of a reconciler.
//
// [Controller.State] shows the informers that are not ready and why, the keys that
// are being reconciled and since when, the keys that wait for their own writes, the
// keys that will be retried, when and after which error, and the quarantine. A
// [Trace] is called at each step; without one there is no cost.
//
// # Implementation
//
// A run registers a handler with each informer and removes it at the end; existing
// objects are received as the initial list. The queue is a workqueue.PriorityQueue. Only
// failed and held keys are stored. A reconcile allocates a context of 176 bytes, and a
// standard context in addition when Done or Value is called. See
// docs/design/controller.md for the reasons.
//
// # Names in other libraries
//
//	controller-runtime                     here
//	Builder.For, Owns, Watches             the same, as functions
//	EnqueueRequestsFromMapFunc             Watches; for objects that Reconcile reads, Get
//	IndexField, MatchingFields             informer.SharedInformer.AddIndex, Find
//	EnableReadYourWritesConsistency        Get, Find, All, Lister
//	source.Channel                         Channel
//	reconcile.Reconciler, Request, Result  Reconciler, Request, Result
//	Result.Requeue                         none: return an error, or RequeueAfter
//	predicate.GenerationChangedPredicate   GenerationChanged
//	cache.Options.SyncPeriod               Options.ResyncPeriod
//	RecoverPanic                           always; see also MaxPanics
//	Manager                                Run; with Add, a Program
//	LeaderElectionRunnable                 Elector, and package leader
//	log.FromContext                        Logger
//	client-go
//	the sample controller's processNextWorkItem  worker
//	syncHandler                            Reconcile
//	AddRateLimited, Forget, NumRequeues    Backoff, State.Retrying
//
// The upstream packages are informer, which reports changes, and workqueue, which
// delivers the keys. Package leader elects one of several processes.
package controller
