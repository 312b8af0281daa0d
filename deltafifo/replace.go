package deltafifo

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Replace queues what makes the known objects those of a list: a Replaced for
// each item that is new or differs from the known object by UID or version, a
// Deleted for each known object that the list lacks, and the marker of its end.
// Nothing is queued unless items ends without error; then version, which may be
// nil, tells the version of the list. If a key comes twice, its last item
// counts. An item whose transform fails is reported to Options.OnError and
// counts as being there, as it was known.
//
// The items are read without any lock held, as slowly as they come.
//
// Possible errors: that of items, an *indexer.KeyError of an item (without the
// key of each item nobody can say which objects are missing), ErrClosed,
// ErrNoItems.
func (q *DeltaFIFO[T]) Replace(items iter.Seq2[T, error], version func() string) error {
	if items == nil {
		return ErrNoItems
	}
	r, err := q.beginReplace()
	if err != nil {
		return err
	}
	defer q.endReplace(r)
	defer r.errors.done()
	for obj, err := range items {
		if err == nil {
			err = r.read(obj)
		}
		if err != nil {
			return fmt.Errorf("deltafifo: reading the items of a Replace: %w", err)
		}
	}
	v := ""
	if version != nil {
		v = version()
	}
	for {
		again, err := q.tryReplace(r, v)
		if err != nil || len(again) == 0 {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(again)) {
			r.compareAgain(key)
		}
	}
}

// Distrust says that the versions of the source may have gone back, so that it
// gives them out again: in the next Replace that succeeds an item is not taken
// for the known object because it has the same UID and version. All items are
// filed.
func (q *DeltaFIFO[T]) Distrust() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.distrusts = true
}

// A relist is a Replace that is under way.
type relist[T any] struct {
	q *DeltaFIFO[T]
	// items is what may have to be filed, in the order of the list.
	items []item[T]
	// changed finds in items what counts for a key. unchanged has the keys
	// whose item was dropped, with the known object that it equals. Invariant:
	// a key of the list is in one of the two.
	changed   map[string]int
	unchanged map[string]T
	errors    reporter
	// distrusts: versions say nothing of what is the same. See Distrust.
	distrusts bool

	// touched has the keys whose known state has changed since it was looked
	// at. Guarded by DeltaFIFO.mu.
	touched map[string]struct{}
}

// An item is what became of an object of the list.
type item[T any] struct {
	key    string
	uid    types.UID
	object T
	fate   fate
	// other: the known object has another UID.
	other bool
	// buries: the known object has to go; known is it.
	buries bool
	known  T
}

type fate uint8

const (
	store  fate = iota // the object is for the store
	remove             // the transform says that it is not
	leave              // what is known stays: the transform failed, or a later item counts
)

func (q *DeltaFIFO[T]) beginReplace() (*relist[T], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	r := &relist[T]{
		q:         q,
		changed:   map[string]int{},
		unchanged: map[string]T{},
		errors:    reporter{onError: q.onError, logger: q.logger},
		distrusts: q.distrusts,
		touched:   map[string]struct{}{},
	}
	if q.meta != nil {
		q.replacing = append(q.replacing, r)
	}
	return r, nil
}

func (q *DeltaFIFO[T]) endReplace(r *relist[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.replacing, r); i >= 0 {
		q.replacing = slices.Delete(q.replacing, i, i+1)
	}
}

// read takes in one object of the list.
func (r *relist[T]) read(obj T) error {
	e, err := r.q.read(obj)
	if err != nil {
		return err
	}
	if earlier, twice := r.changed[e.key]; twice {
		r.items[earlier].fate = leave
	}
	delete(r.unchanged, e.key)
	known, same, other := r.compare(e.key, e.uid, e.version)
	if same || identical(known, obj) {
		delete(r.changed, e.key)
		r.unchanged[e.key] = known
		return nil
	}
	it := item[T]{key: e.key, uid: e.uid, other: other}
	object, keep, err := r.q.transformed(e.key, obj)
	switch {
	case err != nil:
		it.fate = leave
		r.errors.report(e.key, err)
	case !keep:
		it.fate = remove
	default:
		it.object = object
	}
	r.add(it)
	return nil
}

func (r *relist[T]) add(it item[T]) {
	r.changed[it.key] = len(r.items)
	r.items = append(r.items, it)
}

// compare looks at the known object: is it the same by UID and version as an
// item, is it another one by UID?
func (r *relist[T]) compare(key string, uid types.UID, version string) (known T, same, other bool) {
	if r.q.meta == nil {
		return known, false, false
	}
	known, ok := r.look(key)
	if !ok {
		return known, false, false
	}
	knownUID, knownVersion := r.q.meta(known)
	same = !r.distrusts && uid != "" && version != "" && uid == knownUID && version == knownVersion
	return known, same, anotherUID(uid, knownUID)
}

func (r *relist[T]) look(key string) (known T, ok bool) {
	r.q.mu.Lock()
	defer r.q.mu.Unlock()
	delete(r.touched, key)
	at := r.q.keys.find(key)
	return r.q.knownAt(&at)
}

// compareAgain brings up to date what was found out about a key before somebody
// else has written to it. An item that was dropped is filed if it has become a
// change: the known object that it equalled stands for it.
func (r *relist[T]) compareAgain(key string) {
	if i, listed := r.changed[key]; listed {
		_, _, r.items[i].other = r.compare(key, r.items[i].uid, "")
		return
	}
	kept, listed := r.unchanged[key]
	if !listed {
		return
	}
	uid, version := r.q.meta(kept)
	known, same, other := r.compare(key, uid, version)
	if same || identical(known, kept) {
		r.unchanged[key] = known
		return
	}
	delete(r.unchanged, key)
	r.add(item[T]{key: key, uid: uid, object: kept, other: other})
}

func (r *relist[T]) has(key string) bool {
	if _, ok := r.changed[key]; ok {
		return true
	}
	_, ok := r.unchanged[key]
	return ok
}

// tryReplace files the list, unless there are keys to compare again.
func (q *DeltaFIFO[T]) tryReplace(r *relist[T], version string) (again map[string]struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	for key := range r.touched {
		if !r.has(key) {
			delete(r.touched, key)
		}
	}
	if len(r.touched) > 0 {
		again, r.touched = r.touched, map[string]struct{}{}
		return again, nil
	}
	missing := q.missing(r)
	q.bury(r)
	q.fileReplace(r, missing, version)
	q.distrusts = q.distrusts && !r.distrusts
	return nil, nil
}

// bury finds the known objects that items of the list put an end to. Like
// missing it comes before anything is filed.
func (q *DeltaFIFO[T]) bury(r *relist[T]) {
	for i := range r.items {
		if it := &r.items[i]; it.fate != leave && (it.other || it.fate == remove) {
			at := q.keys.find(it.key)
			it.known, it.buries = q.knownAt(&at)
		}
	}
}

// missing lists the known objects that the list lacks. They are gathered before
// anything is filed, because what asks the consumer's store may panic.
func (q *DeltaFIFO[T]) missing(r *relist[T]) []item[T] {
	var gone []item[T]
	seen := map[string]struct{}{}
	q.eachKnown(func(at *slot[T], obj T) {
		if _, twice := seen[at.key]; !twice && !r.has(at.key) {
			seen[at.key] = struct{}{}
			gone = append(gone, item[T]{key: at.key, object: obj})
		}
	})
	return gone
}

func (q *DeltaFIFO[T]) fileReplace(r *relist[T], missing []item[T], version string) {
	for i := range r.items {
		q.fileItem(&r.items[i])
	}
	for _, gone := range missing {
		at := q.keys.find(gone.key)
		q.file(&at, Deleted, gone.object, true, true)
	}
	q.mark(ReplaceEnd, version, true)
	q.advance(version)
	if q.firstEnd == 0 {
		q.firstEnd = q.seq
	}
}

func (q *DeltaFIFO[T]) fileItem(it *item[T]) {
	if it.fate == leave {
		return
	}
	at := q.keys.find(it.key)
	kind := Replaced
	if it.buries {
		q.file(&at, Deleted, it.known, it.other, true)
		kind = Added
	}
	if it.fate == store {
		q.file(&at, kind, it.object, false, true)
	}
}
