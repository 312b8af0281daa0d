// Package informer puts the stages together: a store that follows what a server
// says, for anybody to read, and handlers that are told of each change.
//
//	                                      one goroutine              one a handler
//	ListerWatcher ─► reflector ─► deltafifo ─► processLoop ─┬─► indexer ─► Get, All, Lister, Index.Find
//	    list, watch       the queue of changes    a batch   │    one step
//	                                              at a time ├─► log ─┬─► cursor ─► handler
//	                                                        │        ├─► cursor ─► handler
//	                                                        │        └─► merged ─► a handler that is behind
//	                                                        └─► WaitForSync, WaitForVersion
//
// What comes in is a ListerWatcher, such as a rest.View. What goes out are reads
// that never wait, and notifications in order.
//
// # The shortest use
//
//	pods := informer.New(rest.NewView[*Pod](client, podInfo), informer.Options[*Pod]{})
//	_, err := pods.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
//		UpdateFunc: func(old, new *Pod) { ... },
//	}, informer.HandlerOptions{})
//	...
//	go pods.Run(ctx)
//	if err := pods.WaitForSync(ctx); err != nil { // says why not
//		...
//	}
//	pod, ok := pods.Get("default/web-0")
//
// T is a pointer to any struct that has metadata: a type of k8s.io/api, one of
// your own, a slim one with the few fields that you read. Where the type does not
// say who the objects are, as with an interface, [NewFrom] takes functions that do.
//
// Where several parts of a program want the same objects, a [Factory] hands out
// one informer to all of them.
//
// # What is promised
//
// The store:
//
//   - A read never waits, and answers from one version of the store. A batch of
//     changes, a relist, and an object with its index entries change as one.
//   - [SharedInformer.Version] is V only when everything that happened up to V is
//     in the store. So [SharedInformer.WaitForVersion] with the version that a
//     write has returned says truthfully that the write is there.
//   - When the server's versions go back, as after a restore, the store follows:
//     State counts a new epoch, and whoever waits for a version of the old one
//     gets [ErrNewEpoch].
//   - An object whose transform fails, or that cannot be decoded, costs itself:
//     what was known of it stays, and the error is told with its key.
//   - That there is no first list has a reason, which [SharedInformer.State]
//     has after the first attempt and the error of WaitForSync repeats.
//
// The handlers:
//
//   - For each key a handler sees a legal history: OnAdd, OnUpdates, OnDelete.
//     Old and new are states that follow each other in what it has seen. Across
//     keys the order is that of arrival.
//   - When it is told of a change, the store has it already.
//   - A handler that is added late is told of what is there, as OnAdds with
//     isInInitialList, and goes on from exactly there; nobody else waits.
//   - [Registration.Synced] is closed when the handler has returned from all of
//     the initial list.
//   - One handler never delays another, nor the store. One that stands still
//     holds a bounded amount of memory: past MaxPending what waits for it is
//     merged per key.
//   - A panic is reported with its stack and costs one notification.
//   - [Registration.Remove] never waits, and no callback starts after it.
//   - A relist tells only differences, and an event that comes twice is told once.
//
// The end:
//
//   - [SharedInformer.Run] returns when everything that it has started has
//     ended. Once source and queue have stopped, which they do when its context
//     is done, no callback starts: what handlers have not been told by then they
//     will not be. Callbacks that run are waited for, each up to its handler's
//     StopTimeout, past which the error names that handler.
//   - What is stored can still be read after that.
//
// # Rules
//
//   - OBJECTS ARE SHARED: with all readers, handlers and indexes. Do not change
//     one; [Clone] makes a copy. Options.MutationGuard finds who does.
//   - Handlers should be quick, as a key put into a queue is. A slow one delays
//     nobody, but what it is told gets old.
//   - A handler may call anything here, its own Registration's Remove included.
//     What it must not do is to wait for its own later callbacks.
//   - An informer runs once. For a second life make a second informer.
//
// # How it works
//
// One goroutine takes a batch of changes from the queue, as much as has arrived,
// and applies it to the store in one step. The store answers what was there
// before, and only that decides what a change means: there was something, so it
// is an update, whatever the source has called it. The notifications are written
// down once, in a log, however many handlers there are, together with the
// snapshot of the store that is right behind them. So somebody who comes later
// takes the pair, reads the snapshot at leisure, and then the log from there.
// docs/design/informer.md says why it is done so.
//
// Each stage of an event's way can be watched: see [Trace], and package
// informer/debug for a page that shows it.
//
// # What client-go calls these things
//
//	cache.NewSharedIndexInformer     New
//	SharedIndexInformer              SharedInformer: with AddIndex at any time
//	ResourceEventHandler             the same; finalStateUnknown instead of DeletedFinalStateUnknown
//	ResourceEventHandlerDetailedFuncs  ResourceEventHandlerFuncs
//	AddEventHandlerWithOptions       AddEventHandler
//	untyped objects                  NewFrom with T = any, as package cache does
//	SetTransform                     Options.Transform, which may also drop
//	SetWatchErrorHandlerWithContext  Options.WatchErrorHandler
//	WaitForCacheSync                 WaitForSync, which knows why not
//	LastSyncResourceVersion          Version: of the store, not of the reflector
//	ConsistencyChecker               WaitForVersion
//	GetStore, GetIndexer             Get, All, Reader: the right to write is nobody's
//	SharedInformerFactory            Factory, For
//	Controller, Config, processLoop  the same: see Controller
//	sharedProcessor, processorListener  processor, listener
//	mutation detector                Options.MutationGuard
//
// What is different: a relist that finds an object unchanged tells nobody; a
// resync is of each handler on its own, and reads no server; the period is asked
// for per handler, and never checked against that of others.
//
// The next room downstream is controller, which reconciles what a handler has
// put into a workqueue.
package informer
