// Package indexer is where objects are kept: a store that any number of
// goroutines read without ever waiting, with indexes that always agree with
// what they index.
//
//	 writes                    one version                    reads
//	                 ┌───────────────────────────────┐
//	Add, Update  ──► │ key ─► slot      (table)      │ ──► Get, Keys
//	Delete       ──► │ slot ─► object   (vector)     │ ──► All, Lister
//	Apply        ──► │ value ─► slots   (each index) │ ──► Index.Find
//	Replace      ──► │ resource version              │ ──► Version
//	                 └───────────────────────────────┘
//	       copies what it changes,            loads one pointer,
//	       then swaps the pointer             keeps it while it likes
//
// What comes in are objects of any type that a key function can name. What
// goes out are the same objects, shared by all who ask: nobody may change one
// after it was stored.
//
// # The shortest use
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
// # What is promised
//
//   - Readers never see a half-applied update. An object and all its index
//     entries change together; an Apply and a Replace are one change.
//   - A read answers from one consistent version, however long the caller
//     iterates. To ask several things of one version, take a [Snapshot].
//   - A read never waits: not for a writer, not for a relist of a million
//     objects, not for an index being built. Nor does it make a writer wait.
//   - An index function cannot fail. If it panics, that object is not in that
//     index; it is logged once and counted, and nothing else happens.
//   - No function of yours is called while a lock is held.
//   - An iteration allocates nothing per object.
//
// # Rules
//
//   - OBJECTS ARE SHARED: do not change one that you have stored or been given.
//   - A Snapshot, or an iteration that stands still, keeps alive what it can
//     still yield. Do not keep one for longer than you need it: an index looks
//     through what was filed since, too, and an index that is younger than the
//     Snapshot through all of it.
//   - Who should only read gets ix.Reader, which cannot write, and of which
//     nothing can be made that does: an Indexer put together of it returns
//     [ErrReadOnly].
//   - With Options.MetaFunc, single writes never take an object back to an
//     older version. Apply and Replace do as they are told: whoever calls
//     those has decided already.
//
// # How it works
//
// Everything a reader needs hangs on one root, which never changes once it is
// published. A writer copies the path to what it changes, and shares the rest
// with the root before: vector is an array made this way, table a hash table.
// What a batch has copied once it changes in place until it publishes. Objects
// live in numbered slots, and index entries are slot numbers, so an update
// that leaves the index values alone does not touch the indexes at all. New
// objects get new slots; readers of older versions skip those, and so new
// entries can be appended in place, without a copy. docs/design/indexer.md
// says why it is done so, and what else was measured.
//
// # What client-go calls these things
//
//	cache.Store, cache.Indexer        Indexer (write), Reader (read)
//	cache.NewIndexer, Indexers        New, AddIndex
//	ByIndex, IndexKeys, Index         Index.Find
//	ListIndexFuncValues               Index.Values
//	List, ListKeys                    All, Keys: iterators, no new slice
//	TransactionStore.Transaction      Apply
//	LastStoreSyncResourceVersion      Version
//	threadSafeMap, storeIndex         root, entries
//	generated listers, GenericLister  Lister
//
// An index function has no error to return, and an index is a value and not a
// name, so there is nothing to get wrong when asking it.
//
// The next room upstream is deltafifo, which says what has changed; informer
// puts the two together.
package indexer
