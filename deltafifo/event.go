package deltafifo

import (
	"errors"
	"fmt"

	"github.com/thinformer/thinformer/indexer"
	"k8s.io/apimachinery/pkg/types"
)

// An event is one object that came in, with all that the user's functions say
// of it. They are asked while no lock is held, so an answer about the known
// object may be out of date when it comes; stamp tells.
type event[T any] struct {
	key     string
	uid     types.UID
	version string

	object      T
	keep        bool // the object is for the store
	transformed bool // object and keep are the transform's answers

	// other: the known object, as of stamp, has another UID. Invariant: stamp
	// is a value that DeltaFIFO.changes had, 0 before the question was asked.
	other bool
	stamp uint64
}

// A question is what has to be asked of a user's function, without the lock,
// before an event can be filed.
type question int

const (
	none question = iota
	askUID
	askTransform
)

func (q *DeltaFIFO[T]) read(obj T) (event[T], error) {
	key, err := q.keyFunc(obj)
	if err != nil {
		return event[T]{}, noKey(obj, err)
	}
	e := event[T]{key: key, object: obj, keep: true}
	if q.meta != nil {
		e.uid, e.version = q.meta(obj)
	}
	return e, nil
}

func noKey[T any](obj T, err error) error {
	if known := (*indexer.KeyError)(nil); errors.As(err, &known) {
		return err
	}
	return &indexer.KeyError{Type: fmt.Sprintf("%T", obj), Err: err}
}

// Add queues an Added. See the package comment for the cases in which another
// delta is queued as well, or instead, or none.
func (q *DeltaFIFO[T]) Add(obj T) error { return q.put(Added, obj) }

// Update queues an Updated, by the same rules as Add.
func (q *DeltaFIFO[T]) Update(obj T) error { return q.put(Updated, obj) }

func (q *DeltaFIFO[T]) put(kind DeltaType, obj T) error {
	e, err := q.read(obj)
	if err != nil {
		return err
	}
	if q.transform != nil {
		if e.object, e.keep, err = q.transformed(e.key, obj); err != nil {
			if closed := q.bookmark(e.version); closed != nil {
				return errors.Join(closed, err)
			}
			return err
		}
	}
	var known T
	for {
		var ask question
		if ask, known, err = q.tryPut(kind, &e, known); ask == none {
			return err
		}
		e.compare(q.meta, known)
	}
}

// tryPut files the event, unless there is a question to ask about the known
// object before that. asked is the one that there was a question about.
func (q *DeltaFIFO[T]) tryPut(kind DeltaType, e *event[T], asked T) (ask question, known T, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return none, known, ErrClosed
	}
	at := q.keys.find(e.key)
	if e.keep && e.uid == "" {
		q.file(&at, kind, e.object, false, false)
		q.advance(e.version)
		return none, known, nil
	}
	known, ok := asked, true // as of stamp
	if e.stamp != q.changes {
		if known, ok = q.knownAt(&at); ok && e.unsure(q.changes) {
			return askUID, known, nil
		}
	}
	switch other := ok && e.other; {
	case e.keep && other:
		q.file(&at, Deleted, known, true, false)
		q.file(&at, Added, e.object, false, false)
	case e.keep:
		q.file(&at, kind, e.object, false, false)
	case ok:
		q.file(&at, Deleted, known, other, false)
	default:
		q.pass(e.version)
	}
	q.advance(e.version)
	return none, known, nil
}

// Delete queues a Deleted with obj as the final state, if the key is known. If
// a Deleted of unknown final state is queued already, it takes on this one.
func (q *DeltaFIFO[T]) Delete(obj T) error {
	e, err := q.read(obj)
	if err != nil {
		return err
	}
	var failed error
	for {
		ask, known, err := q.tryDelete(&e)
		switch ask {
		case askUID:
			e.compare(q.meta, known)
		case askTransform:
			e.object, e.keep, failed = q.transformed(e.key, obj)
			e.transformed = true
		default:
			return errors.Join(err, failed)
		}
	}
}

func (q *DeltaFIFO[T]) tryDelete(e *event[T]) (ask question, known T, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return none, known, ErrClosed
	}
	at := q.keys.find(e.key)
	known, ok := q.knownAt(&at)
	tombstone := q.tombstoneAt(&at)
	if tombstone != nil {
		known = tombstone.object
	} else if !ok {
		q.pass(e.version)
		return none, known, nil
	}
	if e.unsure(q.changes) {
		return askUID, known, nil
	}
	if !e.other && q.transform != nil && !e.transformed {
		return askTransform, known, nil
	}
	final := known
	if e.keep && !e.other {
		final = e.object
	}
	if tombstone == nil {
		q.file(&at, Deleted, final, e.other, false)
		q.advance(e.version)
		return none, known, nil
	}
	if !e.other {
		tombstone.object, tombstone.finalStateUnknown = final, false
		q.changed(e.key)
	}
	q.pass(e.version)
	return none, known, nil
}

// unsure reports whether the known object's UID matters and is not known as of
// now; a yes makes now the time of the answer to come.
func (e *event[T]) unsure(now uint64) bool {
	if e.uid == "" || e.stamp == now {
		return false
	}
	e.stamp = now
	return true
}

func (e *event[T]) compare(meta func(T) (types.UID, string), known T) {
	uid, _ := meta(known)
	e.other = anotherUID(e.uid, uid)
}
