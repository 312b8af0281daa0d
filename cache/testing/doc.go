// Package framework has the names and signatures of
// k8s.io/client-go/tools/cache/testing: a ListerWatcher in memory for tests.
// Like client-go's, its folder is named testing and its package framework.
//
// The input are objects, by calls of Add, Modify and Delete. The output are the
// lists and watches of an informer that has the source.
//
//	source := framework.NewFakeControllerSource()
//	defer source.Shutdown()
//	pods := cache.NewSharedIndexInformer(source, &v1.Pod{}, 0, cache.Indexers{})
//	...
//	source.Add(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}})
//
// Informers of client-go accept the source as well, and those of package cache
// accept client-go's.
//
// # Guarantees
//
//   - A watch continues at any version whose later changes the source still
//     has. Only ResetWatch makes it forget changes; then the watch of an older
//     version fails with a 410, and an informer lists again.
//   - The source keeps copies: a test may change its objects after a call.
//     A call sets the resource version of the object that it was given.
//   - A call does not wait for the reader of a watch: any number of events may
//     be pending. They can be read after Shutdown and ResetWatch too.
//   - After Shutdown, requests fail with an error, and no goroutine is left,
//     unless a watch was not stopped and has more than 100 pending events.
//
// For tests of requests, selectors, conflicts or RBAC use package apitest, which
// is a whole API server.
//
// # Omitted names
//
//   - FakePVControllerSource, NewFakePVControllerSource, FakePVCControllerSource,
//     NewFakePVCControllerSource: their lists have types of k8s.io/api, which this
//     module does not require. Package interop/cachetesting has all names.
package framework
