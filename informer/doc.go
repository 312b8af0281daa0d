// Package informer implements shared informers: a local store that follows a
// source of objects, and event handlers that are called for each change.
//
//	                                      one goroutine              one per handler
//	ListerWatcher ─► reflector ─► deltafifo ─► processLoop ─┬─► indexer ─► Get, All, Lister, Index.Find
//	    list, watch       the queue of changes    a batch   │    one step
//	                                              at a time ├─► log ─┬─► cursor ─► handler
//	                                                        │        ├─► cursor ─► handler
//	                                                        │        └─► merged ─► a handler that is behind
//	                                                        └─► WaitForSync, WaitForVersion
//
// The input is a ListerWatcher, such as a rest.View. The output is a store that
// can be read without waiting, and notifications in order.
//
// # Minimal use
//
//	pods := informer.New(rest.NewView[*Pod](client, podInfo), informer.Options[*Pod]{})
//	_, err := pods.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
//		UpdateFunc: func(old, new *Pod) { ... },
//	}, informer.HandlerOptions{})
//	...
//	go pods.Run(ctx)
//	if err := pods.WaitForSync(ctx); err != nil { // contains the reason
//		...
//	}
//	pod, ok := pods.Get("default/web-0")
//
// T is a pointer to any struct with metadata: a type of k8s.io/api, a type of
// your own, or a slim type with only the fields that you read. For types without
// metadata methods, such as interfaces, [NewFrom] takes the key and metadata
// functions.
//
// A [Factory] shares one informer between several parts of a program that need
// the same objects.
//
// # Bodies on demand
//
// A program that reads few of many objects, such as the Secrets that other objects
// name, does not need to store all of them. [ForBodies] watches only their metadata, and
// requests an object when it is read:
//
//	bodies := informer.ForBodies(factory, rest.NewView[*Secret](client, secretInfo), informer.BodyOptions[*Secret]{})
//	...
//	secret, ok, err := bodies.Get(ctx, "shop/tls")
//
// The object is kept while its metadata is unchanged and it was read recently, within
// bounds of number and bytes. docs/design/bodies.md has the rules.
//
// # Guarantees
//
// The store:
//
//   - A read never waits, and sees one version of the store. A batch of changes,
//     a relist, and an object with its index entries are each applied atomically.
//   - [SharedInformer.Version] is V only when all changes up to V are in the
//     store. Therefore [SharedInformer.WaitForVersion] with the version that a
//     write returned reports reliably that the write is in the store.
//   - When the server's versions go back, as after a restore, the store follows:
//     State counts a new epoch, and waits for a version of the old epoch return
//     [ErrNewEpoch].
//   - If an object cannot be decoded, or its transform fails, only that object is
//     affected: its stored state remains, and the error is reported with its key.
//   - If the first list fails, [SharedInformer.State] contains the reason after
//     the first attempt, and so does the error of WaitForSync.
//
// The handlers:
//
//   - For each key a handler receives OnAdd, then OnUpdates, then OnDelete. The
//     old state of each update is the state of the previous call. Across keys the
//     order is the order of arrival.
//   - When a handler is notified of a change, the store already contains it.
//   - A handler that is added late receives the stored objects as OnAdds with
//     isInInitialList, and then every later change. Other handlers are not delayed.
//   - [Registration.Synced] is closed when the handler has returned from the
//     whole initial list.
//   - A handler never delays another handler or the store. A blocked handler holds
//     a bounded amount of memory: beyond MaxPending its waiting notifications are
//     merged per key.
//   - A panic is reported with its stack and loses one notification.
//   - [Registration.Remove] never waits, and no callback starts after it.
//   - A relist notifies handlers of differences only, and a repeated event is
//     reported once.
//
// The end:
//
//   - [SharedInformer.Run] returns when everything that it started has ended. When
//     its context is done, the source and the queue stop, and then no further
//     callback starts: waiting notifications are dropped. Run waits for running
//     callbacks, up to the StopTimeout of each handler; the error names handlers
//     that exceed it.
//   - The stored objects can still be read after that.
//
// # Several namespaces
//
// [ForNamespaces] returns an informer of a set of namespaces, which
// [SharedInformer.SetNamespaces] changes while it runs, or [FollowNamespaces] keeps equal
// to the Namespace objects that a selector matches. It has one store and one set of
// indexes and handlers, and for each namespace a list, a watch, a version and an epoch:
//
//   - A list of a namespace never changes the objects of another one, and a version that
//     is behind in one namespace is not a new epoch.
//   - Version is the lowest of the versions, and WaitForVersion waits for every namespace.
//     VersionIn and WaitForVersionIn are for one.
//   - A failure of one namespace, such as a missing right, leaves the others running.
//     State names it.
//   - The objects of an added namespace are OnAdds with isInInitialList, those of a
//     removed one OnDeletes with finalStateUnknown.
//
// docs/design/namespaces.md explains the design.
//
// # Rules
//
//   - Objects are shared with all readers, handlers and indexes. Do not modify
//     them; [Clone] makes a copy. Options.MutationGuard detects modifications.
//   - Handlers should be quick, for example add a key to a workqueue. A slow
//     handler delays no other handler, but its notifications become stale.
//   - A handler may call any function of this package, including Remove of its own
//     Registration. It must not wait for its own later callbacks.
//   - An informer runs once. Create another one to run again.
//
// # How it works
//
// One goroutine pops a batch of changes from the queue, as many as have arrived,
// and applies it to the store in one step. The store returns the previous state
// of each object, and only that state determines the kind of the notification: if
// the object was stored, the change is an update, whatever event the source
// sent. The notifications are appended once to a log, independent of the number
// of handlers, together with the snapshot of the store after the batch. A handler
// that is added later takes both: it reads the snapshot at its own pace, and then
// the log from that position. docs/design/informer.md explains the design.
//
// [Trace] observes an event at each stage. Package informer/debug serves a page
// that shows it.
//
// # Names in client-go
//
//	cache.NewSharedIndexInformer     New
//	SharedIndexInformer              SharedInformer: with AddIndex at any time
//	ResourceEventHandler             the same; finalStateUnknown instead of DeletedFinalStateUnknown
//	ResourceEventHandlerDetailedFuncs  ResourceEventHandlerFuncs
//	AddEventHandlerWithOptions       AddEventHandler
//	untyped objects                  NewFrom with T = any, as package cache does
//	SetTransform                     Options.Transform, which can also drop objects
//	SetWatchErrorHandlerWithContext  Options.WatchErrorHandler
//	WaitForCacheSync                 WaitForSync, which returns the reason of a failure
//	LastSyncResourceVersion          Version: of the store, not of the reflector
//	ConsistencyChecker               WaitForVersion
//	GetStore, GetIndexer             Get, All, Reader: read access only
//	SharedInformerFactory            Factory, For
//	Controller, Config, processLoop  the same: see Controller
//	sharedProcessor, processorListener  processor, listener
//	mutation detector                Options.MutationGuard
//
// The differences: a relist that finds an object unchanged sends no notification.
// A resync belongs to one handler and does not read the server. Its period is an
// option of each handler, and is not checked against the periods of other handlers.
//
// Package controller reconciles the keys that handlers add to a workqueue.
package informer
