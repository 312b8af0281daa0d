// Package thinformer is the house of the rooms below it: the Kubernetes
// informer stack, one folder a stage. It exports nothing itself; the tests
// beside this file hold the house to its floor plan.
//
// Data flows down this list. Each room can be used alone.
//
//   - rest: the client of one API server; it decodes lists and watches straight
//     into Go types. Below it, rest/kubeconfig finds the server, and
//     rest/discovery what it serves.
//   - listwatch: the seam between a source of objects and what keeps up with it.
//   - indexer: the thread-safe store with its indexes, and the key functions.
//   - deltafifo: the queue of changes between a reflector and a store.
//   - reflector: what keeps a store, or that queue, equal to a source.
//   - informer: all of these put together: the store that follows a server, and
//     the handlers that are told of each change; informer/debug shows how it fares.
//   - workqueue: the queue of keys between event handlers and workers.
//   - controller: what calls a function of yours with these keys until what is
//     there is what was asked for, and runs all of the above; controller/leader
//     elects who of several programs acts.
//   - apitest: an API server for tests, in their own process.
package thinformer
