// Package deltafifo is a queue of changes between a reflector, which writes the
// changes of a source, and a consumer, which applies them to a store.
//
//	 writes                   the log, oldest first                     reads
//	                  ┌────────────────────────────────────┐
//	Add, Update  ──►  │ pod A   pod B   ⚑   pod A   pod C  │  ──► Pop: A, A
//	Delete       ──►  │  @1      @2     @2   @3      @4    │  ──► PopBatch: A, B, ⚑, A, C
//	Replace      ──►  └────────────────────────────────────┘
//	Bookmark     ──►    ⚑ a marker: a bookmark, or the end     ──► Version, HasSynced
//	Resync       ──►      of a Replace
//	       transforms, compares with the known state,    does not deliver a key
//	       appends; never waits for a reader             that is being processed
//
// The input is objects of any type with a key function, as events or as a
// complete list. The output is deltas: one change of one object each.
// [DeltaFIFO.Pop] delivers one key with all its queued changes,
// [DeltaFIFO.PopBatch] the queued changes of all keys, in the order of arrival.
//
// # Basic use
//
//	store := indexer.New(indexer.Options[*v1.Pod]{})
//	q := deltafifo.New(deltafifo.Options[*v1.Pod]{KnownObjects: store})
//	go fill(q) // Add, Update, Delete, Replace, Bookmark: normally a reflector
//	for {
//		err := q.PopBatch(ctx, 0, func(deltas []deltafifo.Delta[*v1.Pod], b deltafifo.Batch) error {
//			changes := make([]indexer.Change[*v1.Pod], len(deltas))
//			for i, d := range deltas {
//				changes[i] = indexer.Change[*v1.Pod]{Key: d.Key, Object: d.Object, Delete: d.Type == deltafifo.Deleted}
//			}
//			return store.Apply(changes, b.Version)
//		})
//		...
//	}
//
// # Guarantees
//
// Order:
//
//   - Deltas are delivered in the order of arrival: Pop takes the key with the
//     oldest delta first, and PopBatch takes the oldest deltas of all keys. A
//     key is not delivered again while it is being processed, so its deltas
//     are processed one after another, whatever the number of consumers.
//   - Bookmarks and the ends of Replaces are markers in that order, and never
//     overtake a delta: a marker is delivered when everything before it has been
//     processed or is in the same batch.
//   - A Replace is delivered as one complete batch. Nothing of it is queued
//     unless its list was read to the end.
//   - Writing does not wait for processing.
//
// Known state. The known state of a key is its newest queued delta, else its
// newest delta in progress, else the object in KnownObjects. After a Deleted the
// key is unknown. Therefore:
//
//   - A Delete of an unknown key produces nothing, so a key never has two
//     Deleted in a row. If a Delete arrives while a Deleted with
//     FinalStateUnknown is queued, Pop delivers that Deleted with the final
//     state of the Delete. PopBatch delivers it unchanged, because the final
//     state would overtake the deltas that arrived in between.
//   - A Replace deletes known objects that are not in the list, with the last
//     known object and FinalStateUnknown.
//   - An item of a Replace with the UID and the version of the known object is
//     skipped: it is not transformed, and the store keeps its pointer, unless
//     the writer declares that versions may be reused (InvalidateVersions).
//   - If an object has another UID than the known object, the queue contains a
//     Deleted of the known object with FinalStateUnknown, followed by an Added.
//   - Resync queues a Sync of each known object without queued deltas.
//
// Progress:
//
//   - Version is V only when everything up to V has been delivered and
//     processed, in whatever order consumers finish. An event that produces
//     no delta also counts, at its position in the order.
//   - HasSynced is true when the first Replace has been processed completely.
//   - Deltas are not delivered twice. Pop returns the error of the process
//     function: nothing is dropped silently.
//   - After Close, consumers can take the queued deltas, and all blocked calls
//     are woken.
//
// A transform runs at most once for an incoming object, and exactly once for
// each object that is delivered to be stored. It never runs on its own results:
// not on a tombstone, not on a Sync. If it rejects an object, a Deleted is
// queued if the key is known, and nothing otherwise. If it fails, the known
// object stays, and the error is reported with the key: by the return value of
// Add, Update and Delete, and by Options.OnError for a Replace, which
// continues. If the transform of a Delete fails, a Deleted is queued
// nevertheless, with the last known object.
//
// # Rules
//
//   - Apply before you return: when the process function has returned, the store
//     behind KnownObjects must have the deltas. From then on only that store has
//     them.
//   - Objects are shared: do not change an object that you have queued or
//     received.
//   - The slices of deltas are valid until the process function returns. Copy the
//     deltas that you keep.
//   - The queue does not see other writers of the store.
//   - Use one writer. Several writers are safe, but the order of their events is
//     undefined.
//   - Pop and PopBatch may be mixed. A key that Pop has taken out of a Replace is
//     no longer in its batch, and a marker that Pop has consumed is in no batch.
//
// # Implementation
//
// All deltas are in one log, a linked list. The nodes of each key are chained,
// and a hash table of the queued keys finds each chain. A node stores the
// version that was the newest when the node was queued. The watermark is the
// version in the oldest unprocessed node. No user function is called with a lock
// held, except those of KnownObjects: a transform runs and UIDs are read before
// the lock is taken, and a comparison with a known object is repeated if another
// writer has changed the object meanwhile. docs/design/deltafifo.md has the
// reasons.
//
// # Names in client-go
//
//	cache.DeltaFIFO, cache.RealFIFO    DeltaFIFO, with Pop and PopBatch
//	DeletedFinalStateUnknown           Delta.FinalStateUnknown, on a typed object
//	Replaced, ReplacedAllInfo          Replaced, with Batch.Replace
//	BookmarkInfo                       Marker
//	KeyListerGetter                    KnownObjects
//	TransformFunc                      Options.Transform, which may also drop
//	HasSyncedChecker                   Synced
//	ErrFIFOClosed                      ErrClosed
//
// Differences:
//
//   - HasSynced waits for a Replace and for its processing. In client-go a queue
//     whose first event is an Add is synced immediately, and DeltaFIFO is synced
//     when the Replace has been delivered. A program without an initial Replace
//     calls SkipInitialList.
//   - An error of the process function is returned by Pop, so that its item is
//     not lost silently. As in client-go, the consumer is responsible for
//     retries.
//   - An item of a Replace without a key is an error of the whole Replace, before
//     anything is queued: if it were skipped, its object would be deleted. An
//     item without a name is reported and skipped: no known object lacks a name.
//   - A delete of an unknown key produces nothing. RealFIFO delivers it.
//     Therefore, after a Deleted with FinalStateUnknown, PopBatch delivers no
//     second Deleted. Pop delivers one Deleted with the final state of the
//     later Delete, as client-go's DeltaFIFO does.
//   - A write after Close is an error. client-go accepts and loses it.
//   - Bookmark returns no error, since a caller could not react to it: a bookmark
//     holds no object, and the next write to a closed queue returns ErrClosed.
//
// A DeltaFIFO is a Store of package reflector. Package indexer applies a batch in
// one step. Package informer connects them.
package deltafifo
