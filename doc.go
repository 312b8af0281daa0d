// Package thinformer is the root of the module, which is the Kubernetes informer
// stack with one package per stage. It exports nothing.
//
// Data flows down this list. Each package can be used by itself.
//
//   - rest: the client of one API server. It decodes lists and watches into Go
//     types. Its subpackage rest/kubeconfig loads the configuration of a client, and
//     rest/discovery lists the resources of a server.
//   - listwatch: the interface between a source of objects and a reflector.
//   - indexer: the thread-safe store with its indexes, and the key functions.
//   - deltafifo: the queue of changes between a reflector and a store.
//   - reflector: keeps a store or queue equal to a source.
//   - informer: the shared informer. It runs the stages above, and notifies handlers
//     of each change. informer/debug serves a page about informers.
//   - workqueue: the queue of keys between event handlers and workers.
//   - controller: calls a reconcile function with these keys, and runs programs of
//     controllers. controller/leader is the leader election.
//   - cache: the same stack under the names of client-go's tools/cache.
//   - apitest: an API server for tests, in the process of the test.
package thinformer
