package deltafifo

import (
	"errors"
	"fmt"

	"github.com/thinformer/thinformer/indexer"
	"k8s.io/apimachinery/pkg/types"
)

// An event is an incoming object with the results of the user's functions. They
// are called without a lock, so a comparison with the known object may be out of
// date when it is used; checkedAt detects that.
type event[T any] struct {
	key     string
	uid     types.UID
	version string

	object      T
	keep        bool // the object is to be stored
	transformed bool // object and keep are results of the transform

	// uidChanged: the known object has another UID, as of checkedAt. Invariant:
	// checkedAt is a former value of DeltaFIFO.knownChanges, 0 before the first
	// comparison.
	uidChanged bool
	checkedAt  uint64
}

// A neededCall is a user function that has to be called, without the lock,
// before an event can be queued.
type neededCall int

const (
	noCall neededCall = iota
	needUID
	needTransform
)

func (q *DeltaFIFO[T]) read(obj T) (event[T], error) {
	key, err := q.keyFunc(obj)
	if err != nil {
		return event[T]{}, keyError(obj, err)
	}
	e := event[T]{key: key, object: obj, keep: true}
	if q.meta != nil {
		e.uid, e.version = q.meta(obj)
	}
	return e, nil
}

// An unnamedError is the KeyError of an object without a name. No known object
// lacks a name, so the object can be skipped.
type unnamedError struct{ error }

func (e *unnamedError) Unwrap() error { return e.error }

// ItemOnly tells a reflector that the error affects only this object.
func (e *unnamedError) ItemOnly() bool { return true }

func keyError[T any](obj T, err error) error {
	if errors.Is(err, indexer.ErrNoName) {
		return &unnamedError{&indexer.KeyError{Type: fmt.Sprintf("%T", obj), Err: err}}
	}
	if known := (*indexer.KeyError)(nil); errors.As(err, &known) {
		return err
	}
	return &indexer.KeyError{Type: fmt.Sprintf("%T", obj), Err: err}
}

// Add queues an Added. The package comment describes the cases in which another
// delta is queued in addition or instead, or none.
func (q *DeltaFIFO[T]) Add(obj T) error { return q.addOrUpdate(Added, obj) }

// Update queues an Updated, by the same rules as Add.
func (q *DeltaFIFO[T]) Update(obj T) error { return q.addOrUpdate(Updated, obj) }

func (q *DeltaFIFO[T]) addOrUpdate(kind DeltaType, obj T) error {
	e, err := q.read(obj)
	if err != nil {
		return err
	}
	if q.transform != nil {
		if e.object, e.keep, err = q.callTransform(e.key, obj); err != nil {
			if bookmarkErr := q.bookmark(e.version); bookmarkErr != nil {
				return errors.Join(bookmarkErr, err)
			}
			return err
		}
	}
	var known T
	for {
		var needed neededCall
		if needed, known, err = q.tryPut(kind, &e, known); needed == noCall {
			return err
		}
		e.compare(q.meta, known)
	}
}

// tryPut queues the event, unless a user function has to be called for the known
// object first. previous is the object of the last such call.
func (q *DeltaFIFO[T]) tryPut(kind DeltaType, e *event[T], previous T) (needed neededCall, known T, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return noCall, known, ErrClosed
	}
	slot := q.keys.find(e.key)
	if e.keep && e.uid == "" {
		q.enqueue(&slot, kind, e.object, false, false)
		q.setNewestVersion(e.version)
		return noCall, known, nil
	}
	known, ok := previous, true // as of checkedAt
	if e.checkedAt != q.knownChanges {
		if known, ok = q.knownAt(&slot); ok && e.needsUID(q.knownChanges) {
			return needUID, known, nil
		}
	}
	switch uidChanged := ok && e.uidChanged; {
	case e.keep && uidChanged:
		q.enqueue(&slot, Deleted, known, true, false)
		q.enqueue(&slot, Added, e.object, false, false)
	case e.keep:
		q.enqueue(&slot, kind, e.object, false, false)
	case ok:
		q.enqueue(&slot, Deleted, known, uidChanged, false)
	default:
		q.enqueueVersion(e.version)
	}
	q.setNewestVersion(e.version)
	return noCall, known, nil
}

// Delete queues a Deleted with obj as the final state, if the key is known. If a
// Deleted with unknown final state is queued already, Pop delivers it with obj
// as the final state, and PopBatch delivers it unchanged.
func (q *DeltaFIFO[T]) Delete(obj T) error {
	e, err := q.read(obj)
	if err != nil {
		return err
	}
	var failed error
	for {
		needed, known, err := q.tryDelete(&e)
		switch needed {
		case needUID:
			e.compare(q.meta, known)
		case needTransform:
			e.object, e.keep, failed = q.callTransform(e.key, obj)
			e.transformed = true
		default:
			return errors.Join(err, failed)
		}
	}
}

func (q *DeltaFIFO[T]) tryDelete(e *event[T]) (needed neededCall, known T, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return noCall, known, ErrClosed
	}
	slot := q.keys.find(e.key)
	known, ok := q.knownAt(&slot)
	tombstone := q.tombstoneAt(&slot)
	if tombstone != nil {
		known = tombstone.object
	} else if !ok {
		q.enqueueVersion(e.version)
		return noCall, known, nil
	}
	if e.needsUID(q.knownChanges) {
		return needUID, known, nil
	}
	if !e.uidChanged && q.transform != nil && !e.transformed {
		return needTransform, known, nil
	}
	final := known
	if e.keep && !e.uidChanged {
		final = e.object
	}
	if tombstone == nil {
		q.enqueue(&slot, Deleted, final, e.uidChanged, false)
		q.setNewestVersion(e.version)
		return noCall, known, nil
	}
	if !e.uidChanged {
		state := final
		tombstone.final = &state
		q.keyChanged(e.key)
	}
	q.enqueueVersion(e.version)
	return noCall, known, nil
}

// needsUID reports whether the known object's UID is needed and has not been
// compared as of now. If so, it sets checkedAt to now.
func (e *event[T]) needsUID(now uint64) bool {
	if e.uid == "" || e.checkedAt == now {
		return false
	}
	e.checkedAt = now
	return true
}

func (e *event[T]) compare(meta func(T) (types.UID, string), known T) {
	uid, _ := meta(known)
	e.uidChanged = anotherUID(e.uid, uid)
}
