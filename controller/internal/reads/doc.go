// Package reads decides which requests depend on a change.
//
//	tracked read ──► Attempt.Open, Close ──► edge: request, node, revision
//	                                                   │
//	change ──► Source.Match ──► nodes ──► Graph.Apply ─┴─► requests to enqueue
//	end of a reconcile ──► Graph.End ──► the new set of edges, and whether to enqueue
//
// A node is what can be read: a key, an index value, a namespace or everything of a
// Source, whether or not anything is there. An edge says that a request has read a node
// at a revision of the store. A change counts for an edge if its revision is higher.
// The edge exists before the store is read, so that no change in between is missed.
//
// While a request is being reconciled, changes are recorded at its edges and judged at
// the end: only then is it known which edges remain, at which revision each was read,
// and which changes are the reconcile's own writes.
//
// The inputs are reads, changes and ends of reconciles; the outputs are requests. There
// are no goroutines, clocks and locks here: the caller serializes all calls. The
// upstream package is informer, which reports the changes, and package controller
// queues the requests.
package reads
