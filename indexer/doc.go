// Package indexer stores objects with indexes. Any number of goroutines read the
// store without waiting, and indexes always agree with the stored objects.
//
//	 writes                    one version                    reads
//	                 ┌───────────────────────────────┐
//	Add, Update  ──► │ key ─► slot      (table)      │ ──► Get, Keys
//	Delete       ──► │ slot ─► object   (vector)     │ ──► All, Lister
//	Apply        ──► │ value ─► slots   (each index) │ ──► Index.Find
//	Replace      ──► │ resource version              │ ──► Version
//	                 └───────────────────────────────┘
//	       copies the nodes that it           loads one pointer
//	       changes, then swaps the pointer    and may keep it
//
// An object may have any type for which a key function returns a key. All
// readers share the stored objects, which must not be changed.
//
// # Basic use
//
//	ix := indexer.New(indexer.Options[*v1.Pod]{})
//	byNode, err := ix.AddIndex("node", func(p *v1.Pod) []string { return []string{p.Spec.NodeName} })
//	...
//	err = ix.Add(pod)
//	pod, ok := ix.Get("default/web-0")
//	for pod := range byNode.Find("worker-3") {
//		...
//	}
//
// # Guarantees
//
//   - Readers never see a half-applied update. An object and all its index
//     entries change together. Apply and Replace are one change each.
//   - A read uses one version of the store, even if the caller iterates slowly.
//     Use a [Snapshot] for several reads of the same version.
//   - A read never waits for a writer, for a Replace or for the construction of
//     an index, and never makes a writer wait.
//   - An index function cannot fail. If it panics, the object is not in that
//     index. The panic is counted, and the first one is logged.
//   - No user function is called while a lock is held.
//   - An iteration does not allocate for each object.
//
// # Rules
//
//   - Objects are shared. Do not change an object that you have stored or
//     received.
//   - A Snapshot, or an unfinished iteration, keeps alive the objects that it can
//     still return. Release it soon. Queries of an old Snapshot become slower:
//     they also examine the index entries that were added since. With an index
//     that is newer than the Snapshot they examine all objects.
//   - Pass ix.Reader to code that must not write. Writes to an Indexer that is
//     constructed from a Reader return [ErrReadOnly].
//   - With Options.MetaFunc, single writes never replace an object by an older
//     version of it. Apply and Replace do not compare versions.
//
// # Implementation
//
// A root has everything that a reader needs. It never changes once it is
// published. A writer copies the path to the node that it changes, and shares
// all other nodes with the previous root. The types vector (an array) and
// table (a hash table) are built in this way. A batch copies each node at most
// once, and then changes its copy in place until it publishes its root.
//
// Objects have numbered slots, and index entries are slot numbers. An update that
// does not change the index values therefore does not change the indexes. New
// objects get new slots. Readers of older versions skip these, so that new entries
// can be appended in place without a copy. docs/design/indexer.md has the reasons
// and the alternatives that were measured.
//
// # Names in client-go
//
//	cache.Store, cache.Indexer        Indexer (write), Reader (read)
//	cache.NewIndexer, Indexers        New, AddIndex
//	ByIndex, IndexKeys, Index         Index.Find
//	ListIndexFuncValues               Index.Values
//	List, ListKeys                    All, Keys: iterators, without a new slice
//	TransactionStore.Transaction      Apply
//	LastStoreSyncResourceVersion      Version
//	threadSafeMap, storeIndex         root, entries
//	generated listers, GenericLister  Lister
//
// An index function returns no error. An index is a value instead of a name, so a
// query cannot name an index that does not exist.
//
// The queue in front of the store is package deltafifo. Package informer connects
// the two.
package indexer
