// Package deltafifo is the reference of step 7: a queue of changes, one entry per key.
package deltafifo

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

type queue struct {
	known   stack.KnownObjects
	mu      sync.Mutex
	changed *sync.Cond               // wakes the callers of Pop after a change of the fields below
	items   map[string][]stack.Delta // the waiting changes of each key, oldest first
	keys    []string                 // the keys of items, by their oldest change
	busy    map[string][]stack.Delta // the changes that are being processed
	initial map[string]bool          // the unprocessed keys of the first Replace; nil before it
	closed  bool
}

// NewQueue returns an empty queue.
func NewQueue(known stack.KnownObjects) stack.Queue {
	q := &queue{known: known, items: map[string][]stack.Delta{}, busy: map[string][]stack.Delta{}}
	q.changed = sync.NewCond(&q.mu)
	return q
}

func (q *queue) Add(object stack.Object) error    { return q.write(deltafifo.Added, object) }
func (q *queue) Update(object stack.Object) error { return q.write(deltafifo.Updated, object) }
func (q *queue) Delete(object stack.Object) error { return q.write(deltafifo.Deleted, object) }
func (q *queue) Bookmark(string)                  {} // the queue has no version
func (q *queue) Resync() error                    { return nil }

// locked calls f with the lock, and wakes the callers of Pop.
func (q *queue) locked(f func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	f()
	q.changed.Broadcast()
	return nil
}

func (q *queue) write(kind deltafifo.DeltaType, object stack.Object) error {
	return q.locked(func() { q.enqueue(kind, object, false) })
}

// Replace reads all items first: an error of the last one must leave the queue unchanged.
func (q *queue) Replace(items iter.Seq2[stack.Object, error], _ func() string) error {
	objects, listed := []stack.Object(nil), map[string]bool{}
	for object, err := range items {
		if err != nil {
			return err
		}
		objects, listed[stack.Key(object)] = append(objects, object), true
	}
	return q.locked(func() { q.replace(objects, listed) })
}

func (q *queue) replace(objects []stack.Object, listed map[string]bool) {
	for _, object := range objects {
		q.enqueue(deltafifo.Replaced, object, false)
	}
	candidates := slices.AppendSeq(slices.Clone(q.keys), maps.Keys(q.busy))
	for _, object := range q.known.List() {
		candidates = append(candidates, stack.Key(object))
	}
	for _, key := range candidates {
		if known := q.knownAt(key); known != nil && !listed[key] {
			q.enqueue(deltafifo.Deleted, known, true)
		}
	}
	if q.initial == nil {
		q.initial = map[string]bool{}
		for _, key := range q.keys {
			q.initial[key] = true
		}
	}
}

// enqueue adds a change. A Deleted of an object that is not known says nothing new.
// Another UID than that of the known object means that its deletion was not received.
func (q *queue) enqueue(kind deltafifo.DeltaType, object stack.Object, unknown bool) {
	key := stack.Key(object)
	switch known := q.knownAt(key); {
	case known == nil && kind == deltafifo.Deleted:
		return
	case known != nil && kind != deltafifo.Deleted && known.UID != object.UID && known.UID != "" && object.UID != "":
		q.enqueue(deltafifo.Deleted, known, true)
	}
	if len(q.items[key]) == 0 {
		q.keys = append(q.keys, key)
	}
	q.items[key] = append(q.items[key], stack.Delta{Type: kind, Object: object, Key: key, FinalStateUnknown: unknown})
}

// knownAt returns the object that a key will have after all its changes, nil for none.
// While a change is processed, the known objects may or may not have it already.
func (q *queue) knownAt(key string) stack.Object {
	deltas := slices.Concat(q.busy[key], q.items[key])
	if len(deltas) == 0 {
		object, _ := q.known.Get(key)
		return object
	} else if newest := deltas[len(deltas)-1]; newest.Type != deltafifo.Deleted {
		return newest.Object
	}
	return nil
}

// Pop does not hold the lock while process runs: process may take long.
func (q *queue) Pop(ctx context.Context, process func(string, []stack.Delta, bool) error) error {
	defer context.AfterFunc(ctx, func() { _ = q.locked(func() {}) })()
	q.mu.Lock()
	defer q.mu.Unlock()
	isFree := func(key string) bool { return q.busy[key] == nil }
	for !slices.ContainsFunc(q.keys, isFree) && !q.closed && ctx.Err() == nil {
		q.changed.Wait()
	}
	next := slices.IndexFunc(q.keys, isFree)
	if next < 0 || ctx.Err() != nil {
		return cmp.Or(ctx.Err(), stack.ErrClosed)
	}
	key := q.keys[next]
	deltas, initial := q.items[key], q.initial[key]
	q.keys, q.busy[key] = slices.Delete(q.keys, next, next+1), deltas
	delete(q.items, key)
	q.mu.Unlock()
	defer func() { // also after an error: trying again is the caller's decision
		q.mu.Lock()
		delete(q.busy, key)
		if initial { // a process that began before the first Replace does not count
			delete(q.initial, key)
		}
		q.changed.Broadcast()
	}()
	return process(key, deltas, initial)
}

func (q *queue) HasSynced() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.initial != nil && len(q.initial) == 0
}

func (q *queue) Close() { _ = q.locked(func() { q.closed = true }) }
