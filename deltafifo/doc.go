// Package deltafifo is where changes wait: a queue between a reflector, which
// writes down what the server says, and the one who applies it to a store.
//
//	 writes                   the log, oldest first                     reads
//	                  ┌────────────────────────────────────┐
//	Add, Update  ──►  │ pod A   pod B   ⚑   pod A   pod C  │  ──► Pop: A, A
//	Delete       ──►  │  @1      @2     @2   @3      @4    │  ──► PopBatch: A, B, ⚑, A, C
//	Replace      ──►  └────────────────────────────────────┘
//	Bookmark     ──►    ⚑ a marker: a bookmark, or the end     ──► Version, HasSynced
//	Resync       ──►      of a Replace
//	       transforms, compares with what is known       does not hand out a key
//	       by then, files; never waits for a reader      that somebody works on
//
// What comes in are objects of any type that a key function can name, as
// events or as a whole list. What goes out are deltas: this happened to that
// object. [DeltaFIFO.Pop] hands out one key with all that happened to it,
// [DeltaFIFO.PopBatch] whatever there is, of all keys, as it arrived.
//
// # The shortest use
//
//	store := indexer.New(indexer.Options[*v1.Pod]{})
//	q := deltafifo.New(deltafifo.Options[*v1.Pod]{KnownObjects: store})
//	go fill(q) // Add, Update, Delete, Replace, Bookmark: a reflector's work
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
// # What is promised
//
// Order:
//
//   - Deltas go out as they arrived: Pop takes the key with the oldest one
//     first, PopBatch a prefix of all. A key is not handed out again while it
//     is being processed, so its deltas are seen one after another, by
//     whomever.
//   - Bookmarks and the ends of Replaces are markers in that order, and
//     overtake nothing: a marker waits until all that came before it has been
//     processed, or goes out with it.
//   - A Replace goes out as one batch, whole. Nothing of it is queued unless
//     its list was read to the end.
//   - Writing does not wait for processing.
//
// What is known. A key is known by its newest delta that is queued, else by the
// newest that is being processed, else by the object that KnownObjects has.
// After a Deleted it is unknown. By that rule,
//
//   - a Delete of an unknown key produces nothing, so no two Deleted of a key
//     follow each other; of two the one that somebody saw is kept;
//   - a Replace deletes what is known and not in the list, with the last known
//     object and FinalStateUnknown;
//   - an item of a Replace with the UID and the version of the known object is
//     dropped at once: nobody transforms it, and the store keeps its pointer,
//     unless the writer says that versions may have gone back (Distrust);
//   - an object with another UID than the known one is a Deleted of that one,
//     with FinalStateUnknown, and then an Added;
//   - Resync queues a Sync of each known object of which nothing is queued.
//
// Progress:
//
//   - Version is V only when everything up to V has been handed out and
//     processed, whatever the order in which consumers finish. An event that
//     gave no delta counts in its place.
//   - HasSynced is true when the first Replace has been processed, all of it.
//   - What was handed out is not handed out again, and an error of the process
//     function is what Pop returns: nothing is dropped without a word.
//   - Close lets consumers take what is left, and wakes all who wait.
//
// A transform runs at most once on an object that came in, and exactly once on
// each that is handed out to be stored. It never runs on an object that has
// been through it: not on a tombstone, not on a Sync. If it says that an object
// is not wanted, that is a Deleted if the key is known, and nothing otherwise.
// If it fails, the object that was known stays, and the error is told with the
// key: by Add, Update and Delete to their caller, by a Replace, which goes on,
// to Options.OnError. A Delete counts even so, with the last known object.
//
// # Rules
//
//   - APPLY BEFORE YOU RETURN: when the process function has returned, the
//     store behind KnownObjects must have what it was handed. From then on
//     that store alone knows.
//   - Objects are shared: do not change one that you have queued or been given.
//   - The deltas are yours until you return. To keep some, copy them.
//   - Who writes the store beside the consumer is not seen by the queue.
//   - One writer is the rule, since order means something only to one. Several
//     are safe.
//   - Pop and PopBatch may be mixed. A key that Pop has taken out of a Replace
//     is no longer in its batch, and a marker that Pop has passed is in none.
//
// # How it works
//
// Everything is filed in one log, a linked list, and each key has a chain
// through it, found in a hash table that has the keys at work and no others. A
// node remembers the newest version of the time when it arrived. That is all
// the watermark needs: what the oldest unprocessed node remembers is what the
// queue can vouch for. No function of yours is called with a lock held, except
// those of KnownObjects: a transform runs and UIDs are read before the lock is
// taken, and what was learned about a known object is learned again if somebody
// has written meanwhile. docs/design/deltafifo.md says why it is done so.
//
// # What client-go calls these things
//
//	cache.DeltaFIFO, cache.RealFIFO    DeltaFIFO: Pop is the one, PopBatch the other
//	DeletedFinalStateUnknown           Delta.FinalStateUnknown, on a typed object
//	Replaced, ReplacedAllInfo          Replaced, with Batch.Replace
//	BookmarkInfo                       Marker
//	KeyListerGetter                    KnownObjects
//	TransformFunc                      Options.Transform, which may also drop
//	HasSyncedChecker                   Synced
//	ErrFIFOClosed                      ErrClosed
//
// What is different:
//
//   - HasSynced waits for a Replace and for its processing. In client-go a
//     queue whose first event is an Add is synced by that, and DeltaFIFO by
//     having handed the Replace out. NoInitialList says what is said there by
//     an Add.
//   - An error of the process function does not lose its item in silence: it
//     is what Pop returns. To retry is the consumer's business, as there.
//   - An item of a Replace without a key is an error of the whole Replace,
//     before anything is queued. Skipped, it would read as a deletion.
//   - A delete of an unknown key is nothing. RealFIFO hands it out.
//   - A write after Close is an error. There it is accepted, and lost.
//   - Bookmark has no error to return, since a caller could do nothing about
//     one: a bookmark holds no object, and what a closed queue misses is
//     missed by the next write too, which says so.
//
// The next room downstream is indexer, which applies a batch in one step;
// upstream is reflector, whose Store a queue is; informer puts them together.
package deltafifo
