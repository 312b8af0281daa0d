// Package cache has the names and signatures of k8s.io/client-go/tools/cache. A
// program switches to it by changing an import path. It is an untyped layer
// over the typed packages of this module, and the only package that also has
// the deprecated forms of client-go.
//
//	tools/cache            here                            typed package
//	ListWatch              a source of lists and watches   rest, listwatch
//	Reflector              fills a ReflectorStore          reflector
//	DeltaFIFO, RealFIFO    a Queue of Deltas               deltafifo
//	Store, Indexer         List, Get, ByIndex              indexer
//	SharedIndexInformer    handlers and a store            informer
//
// The input is the same as in client-go: a list and a watch from a clientset,
// from functions, or from a fake. The output is the same too: an untyped store,
// and calls of untyped handlers.
//
// # Usage
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
// The same lines compile with client-go. The client may be that of a clientset
// or of package rest: any type with the same methods. Its responses are decoded
// by this package while they are received, in the most efficient encoding that
// the expected type supports.
//
// # Guarantees
//
//   - Documented behavior of client-go is the same here: every event is
//     delivered in the order of arrival, and events are merged only if
//     HandlerOptions.MaxPending is set.
//   - Where client-go has a defect, this package has the guarantees of the
//     typed package. Each difference is listed in docs/migration.md and shown
//     by a program that is built with either library.
//   - An object is stored once, without a wrapper. A call allocates no more
//     than the typed call and the slice that it returns.
//   - Where client-go panics, for example for a nil function or an object of a
//     wrong type, this package returns or logs an error that describes the
//     problem.
//
// # Rules
//
//   - OBJECTS ARE SHARED by the store, all handlers and all readers. Do not
//     modify them.
//   - If a deletion event was missed, OnDelete receives a
//     DeletedFinalStateUnknown. DeletionHandlingMetaNamespaceKeyFunc accepts
//     it.
//   - A panic of a handler ends the process, unless utilruntime.ReallyCrash is
//     false: then it ends only that notification.
//   - Problems are logged by klog: by the logger of the options, or of the
//     context, or klog's global one.
//
// # Combining typed and untyped code
//
// A program can migrate step by step. [InformerOf] and [IndexerOf] return a
// typed informer or indexer in its untyped form; both share the same data.
// [ToTyped] returns a typed source for any ListerWatcher, including
// client-go's. Package interop has adapters for code that needs client-go's own
// types, such as generated listers. Function types such as [TransformFunc] are
// aliases, so that values can be passed to the options of client-go and
// controller-runtime.
//
// # Implementation
//
// An Indexer is an indexer.Indexer[any], a SharedIndexInformer an
// informer.SharedInformer[any], and so on. The files of this package contain
// only what the forms of client-go need in addition: results as slices,
// tombstones as objects, and options that are set after construction.
// docs/design/cache.md has the reasons. The files have the names of client-go's
// files, and the first line of each says which package does the work.
//
// # Differences from client-go
//
// No name of tools/cache is missing. Names that client-go has deprecated are
// deprecated here with the same advice. docs/migration.md and docs/names.md
// describe the typed replacements.
//
// The packages below this one replace packages of client-go whose functions
// have types of tools/cache, or are often imported beside it, by their import
// path alone:
//
//	tools/cache/testing      cache/testing: FakeControllerSource
//	tools/cache/synctrack    cache/synctrack
//	tools/watch              cache/watch: Until, UntilWithSync, RetryWatcher
//	tools/pager              cache/pager
//	util/retry               cache/retry
//	dynamic/dynamiclister    cache/dynamiclister
//	metadata/metadatalister  cache/metadatalister
//
// client-go's FakeControllerSource and a fake clientset are ListerWatchers of
// this package too. Package workqueue replaces client-go's util/workqueue in the
// same way.
package cache
