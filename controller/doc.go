// Package controller calls a function of yours with the key of an object,
// whenever something about that object may have changed, until what is there is
// what was asked for.
//
//	informers                        one queue          MaxConcurrentReconciles
//	┌──────────┐ For      Request{                     ┌────────┐
//	│ widgets  ├──────►  Namespace,  ─► priority,  ──► │ worker │──► Reconcile(ctx, Request)
//	├──────────┤ Owns     Name }        each key       ├────────┤       │ error: again, later
//	│ pods     ├──────►               once             │ worker │       │ RequeueAfter: then
//	├──────────┤ Watches                ▲              └────────┘       ▼ nil: done
//	│ configs  ├──────►                 └──────────────────────────── the key may come again
//	└──────────┘
//
// What comes in are informers and the rules by which a change of an object
// becomes a key. What goes out are calls of Reconcile, which reads from the
// informers, writes to the server, and can be called again at any time.
//
// # The shortest use
//
//	factory := informer.NewFactory(informer.FactoryOptions{})
//	widgets := informer.For(factory, rest.NewView[*Widget](client, widgetInfo), informer.Options[*Widget]{})
//
//	c := controller.New("widgets", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
//		widget, ok := widgets.Get(req.String())
//		if !ok {
//			return controller.Result{}, nil // it is gone
//		}
//		...
//	}), controller.Options{})
//	controller.For(c, widgets, controller.GenerationChanged)
//
//	err := controller.Run(ctx, controller.RunOptions{Factory: factory}, c)
//
// # A program
//
// [Run] is what stands at the end of main: it runs the informers, waits for them
// and says what they wait for, runs the controllers while this replica leads,
// answers probes, and ends everything in order on SIGTERM.
//
//	err := controller.Run(ctx, controller.RunOptions{
//		Factory: factory,
//		Leader:  elector, // of package leader
//		Serve:   controller.HTTP{Address: ":8080"}, // /healthz, /readyz, /debug/
//	}, c, others...)
//
// In a test of your own it is the same, with a context that you cancel. In a
// testing/synctest bubble set NoSignals, and give HTTP a Listener in memory.
//
// # What is promised
//
// Of keys:
//
//   - A key is with one call of Reconcile at a time, however many workers there
//     are. What happens to it meanwhile brings it once more, afterwards.
//   - After the last change of an object its key is reconciled, by a call that
//     begins when the store has that change: whatever has failed before, and
//     whichever runs have ended in between.
//   - Many changes are one call. What goes first is what has changed, then what
//     was there at the beginning, then the sweep; what waits for ten seconds is
//     overdue and gets its turn.
//   - A key is not reconciled before the informers of the controller have seen
//     what its last reconcile wrote with its ctx. What was written with any other
//     context is not waited for. Past [Options.WriteTimeout] it is an error, a
//     [StaleError], and the key waits on.
//
// Of outcomes:
//
//   - An error brings the key again, after 5 milliseconds and then twice as long
//     each time, up to 5 minutes, each key on its own; [Options.Backoff] says
//     otherwise. When it has gone well, that begins anew. A [Result] beside an
//     error does not count.
//   - [TerminalError] does not bring it again.
//   - RequeueAfter brings it at that time. Of several the earliest counts, also
//     if a later call asks for none.
//   - A panic, and a call that ends its goroutine, cost that call: it counts as an
//     error. After [Options.MaxPanics] in a row the key is in quarantine: only a
//     change of something that is watched brings it back, for one try each.
//   - With [Options.Sweep] the key of every object of For comes once in each
//     period, evenly spread. That takes the place of resync.
//
// Of the end:
//
//   - When the ctx of Run is done no reconcile begins. Those that have begun have
//     StopTimeout; then their ctx ends; after CancelTimeout Run returns, and
//     a [StopError] names what goes on nevertheless.
//   - When it is leadership that has ended, their ctx ends at once.
//   - The ctx of a reconcile ends with it, so that what it has left behind does
//     nothing in its name.
//   - An informer that ends while the controller runs ends the controller, with an
//     error: it would not hear of changes any more.
//   - A controller can be run again; all keys come anew then.
//
// # Rules
//
//   - Read from the informers, and write with ctx. Objects of an informer are
//     shared: informer.Clone makes a copy to change.
//   - Do what is missing, and not what the last event seems to ask for: events
//     are merged, and what you know of them may be old.
//   - Heed ctx. Who waits for something comes back with RequeueAfter instead, and
//     leaves the worker to others.
//   - Mappings and predicates are called by the informers, one after another, and
//     must not wait. One that panics is logged and costs that notification.
//
// # What is logged, and what can be asked
//
// A failure is logged once, with controller, namespace and name. The same error of
// the same key again is logged when it has come twice as often as when it was
// logged last; a conflict, which is what versions are for, from the sixth in a row
// on, and before that at the debug level. Nothing is logged of what goes well.
// [Logger] is the logger for your own lines.
//
// [Controller.State] tells which informers are waited for and why, what is in work
// since when, what waits for its own writes, what is retried, when, and after what
// error, and what is in quarantine. A [Trace] is told of each step; without one it costs nothing.
//
// # How it works
//
// A run registers a handler with each informer and takes it away at its end; what
// is there then comes as an initial list. The queue is a workqueue.Priority. Only
// keys that have failed are remembered, and only those that are held. A reconcile
// allocates its context, 176 bytes, and a context of the standard library behind
// it when somebody asks for its Done or a value. docs/design/controller.md says
// why it is done so.
//
// # What others call these things
//
//	controller-runtime                     here
//	Builder.For, Owns, Watches             the same, as functions
//	source.Channel                         Channel
//	reconcile.Reconciler, Request, Result  Reconciler, Request, Result
//	Result.Requeue                         gone: return an error, or RequeueAfter
//	predicate.GenerationChangedPredicate   GenerationChanged
//	cache.Options.SyncPeriod               Options.Sweep
//	RecoverPanic                           always; MaxPanics is the quarantine
//	Manager                                Run
//	LeaderElectionRunnable                 Elector, and package leader
//	log.FromContext                        Logger
//	client-go
//	the sample controller's processNextWorkItem  worker
//	syncHandler                            Reconcile
//	AddRateLimited, Forget, NumRequeues    Backoff, State.Retrying
//
// The room upstream is informer, which tells of changes, and workqueue, which
// delivers the keys. Package leader elects one of several programs.
package controller
