// Package cache is client-go's k8s.io/client-go/tools/cache over the rooms of
// this module: the same names, signatures and behaviour, so that a program
// switches by changing an import path. It is the only room in which objects have
// no type, and the only one that has old forms beside new ones.
//
//	tools/cache            here                            the room beneath
//	ListWatch              a source of lists and watches   rest, listwatch
//	Reflector              drives a ReflectorStore         reflector
//	DeltaFIFO, RealFIFO    a Queue of Deltas               deltafifo
//	Store, Indexer         List, Get, ByIndex              indexer
//	SharedIndexInformer    handlers and a store            informer
//
// What comes in is what client-go takes: a list and a watch, from a clientset, by
// hand, from a fake. What goes out is what it gives: an untyped store, and
// handlers of any.
//
// # The shortest use
//
//	source := cache.NewListWatchFromClient(clientset.CoreV1().RESTClient(), "pods", "", fields.Everything())
//	pods := cache.NewSharedIndexInformer(source, &v1.Pod{}, 0, cache.Indexers{})
//	_, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
//		UpdateFunc: func(old, new any) { ... },
//	})
//	...
//	go pods.RunWithContext(ctx)
//	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced) {
//		...
//	}
//
// These are client-go's lines. The client may be a clientset's or one of package
// rest: whatever has the methods. Its answers are decoded here, as they arrive, in
// the best encoding that the expected type can read.
//
// # What is promised
//
//   - Where client-go's behaviour is a promise, this is the same: every event is
//     told, in the order of arrival, and nothing is merged unless
//     HandlerOptions.MaxPending asks for it.
//   - Where it is a defect, this is what the room beneath promises. Each
//     difference has a row in docs/migration.md, and is shown by a program that
//     is built with either library.
//   - An object is held once, as itself: nothing is put around it. A call allocates
//     what the typed room's does, and the slice that it has to return.
//   - What client-go panics on, such as a function that is nil or an object of a
//     wrong type, is an error here, or is logged, which says what was wrong.
//
// # Rules
//
//   - OBJECTS ARE SHARED: with the store, all handlers and all readers. Do not
//     change one that you were given.
//   - Handlers are told of a deletion that nobody saw by a
//     DeletedFinalStateUnknown. DeletionHandlingMetaNamespaceKeyFunc knows it.
//   - A panic of a handler ends the process, unless utilruntime.ReallyCrash is
//     false: then it costs one notification.
//   - Problems are logged by klog, which programs that come from client-go have
//     set up: by the logger of the option, or of the context, or klog's own.
//
// # Old and new together
//
// A program need not move at once. [InformerOf] and [IndexerOf] show a typed
// informer or indexer to code that wants an untyped one: both are the same store.
// [ToTyped] makes a typed source of any ListerWatcher, client-go's included. What
// needs client-go's own types, such as generated listers, has adapters in interop/.
//
// # How it works
//
// Nothing is done here that a room does: an Indexer is an indexer.Indexer of any,
// a SharedIndexInformer an informer.SharedInformer of any, and so on. The files
// hold what client-go's forms need besides: results as slices, tombstones as
// objects, functions that are set after the beginning. docs/design/cache.md says
// why it is done so.
//
// # What client-go calls these things
//
// The same. Deprecated are the forms that client-go has deprecated, and they say
// what to use instead. What to write once the type is known stands in
// docs/migration.md, name by name in docs/names.md.
//
// # What is left out
//
// Of the names of tools/cache, none. The packages below it, synctrack and testing,
// have nothing of it that a switch would need: a FakeControllerSource is a
// ListerWatcher here as well.
//
// The next rooms are those in the table above, whose types are typed; and
// workqueue, which is client-go's util/workqueue in the same way.
package cache
