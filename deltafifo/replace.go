package deltafifo

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Replace queues the differences between the known objects and a list: a
// Replaced for each item that is new or differs from the known object by UID or
// version, a Deleted for each known object that is not in the list, and an end
// marker. Nothing is queued unless items ends without an error; then version,
// which may be nil, returns the version of the list. If a key occurs twice, its
// last item counts. An item whose transform fails is reported to
// Options.OnError, and its known state stays. An item without a name is reported
// and skipped.
//
// No lock is held while the items are read.
//
// Possible errors: that of items, an *indexer.KeyError of an item (without the
// key of each item the missing objects cannot be determined), ErrClosed,
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
	defer r.errors.reportSkipped()
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

// InvalidateVersions declares that the versions of the source may have gone back
// and may be reused. The next Replace that succeeds then queues all items, even
// those with the UID and version of the known object.
func (q *DeltaFIFO[T]) InvalidateVersions() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.versionsInvalid = true
}

// A relist is a Replace in progress.
type relist[T any] struct {
	q *DeltaFIFO[T]
	// items are the items that may have to be queued, in the order of the list.
	items []item[T]
	// changed maps a key to the index of its item. unchanged has the keys whose
	// item was skipped, with the known object that it equals. Invariant: each
	// key of the list is in one of the two.
	changed   map[string]int
	unchanged map[string]T
	errors    itemErrorReporter
	// versionsInvalid: equal versions do not mean equal objects. See
	// InvalidateVersions.
	versionsInvalid bool

	// staleKeys has the keys whose known state has changed since it was
	// compared. Guarded by DeltaFIFO.mu.
	staleKeys map[string]struct{}
}

// An item is an object of the list with the action for it.
type item[T any] struct {
	key    string
	uid    types.UID
	object T
	action itemAction
	// uidChanged: the known object has another UID.
	uidChanged bool
	// deletesKnown: the known object is to be deleted; known is that object.
	deletesKnown bool
	known        T
}

type itemAction uint8

const (
	storeItem  itemAction = iota // store the object
	deleteItem                   // the transform has rejected the object
	keepKnown                    // the known state stays: the transform failed, or a later item counts
)

func (q *DeltaFIFO[T]) beginReplace() (*relist[T], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	r := &relist[T]{
		q:               q,
		changed:         map[string]int{},
		unchanged:       map[string]T{},
		errors:          itemErrorReporter{onError: q.onError, logger: q.logger},
		versionsInvalid: q.versionsInvalid,
		staleKeys:       map[string]struct{}{},
	}
	if q.meta != nil {
		q.activeReplaces = append(q.activeReplaces, r)
	}
	return r, nil
}

func (q *DeltaFIFO[T]) endReplace(r *relist[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.activeReplaces, r); i >= 0 {
		q.activeReplaces = slices.Delete(q.activeReplaces, i, i+1)
	}
}

// read handles one object of the list.
func (r *relist[T]) read(obj T) error {
	e, err := r.q.read(obj)
	if err != nil {
		// errors.As moves its target to the heap, so it is declared only for an error.
		if unnamed := (*unnamedError)(nil); !errors.As(err, &unnamed) {
			return err
		}
		r.errors.report("", err)
		return nil
	}
	if earlier, duplicate := r.changed[e.key]; duplicate {
		r.items[earlier].action = keepKnown
	}
	delete(r.unchanged, e.key)
	known, same, uidChanged := r.compare(e.key, e.uid, e.version)
	if same || samePointer(known, obj) {
		delete(r.changed, e.key)
		r.unchanged[e.key] = known
		return nil
	}
	it := item[T]{key: e.key, uid: e.uid, uidChanged: uidChanged}
	object, keep, err := r.q.callTransform(e.key, obj)
	switch {
	case err != nil:
		it.action = keepKnown
		r.errors.report(e.key, err)
	case !keep:
		it.action = deleteItem
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

// compare compares an item with the known object. same: UID and version are
// equal. uidChanged: the UIDs differ.
func (r *relist[T]) compare(key string, uid types.UID, version string) (known T, same, uidChanged bool) {
	if r.q.meta == nil {
		return known, false, false
	}
	known, ok := r.lookUp(key)
	if !ok {
		return known, false, false
	}
	knownUID, knownVersion := r.q.meta(known)
	same = !r.versionsInvalid && uid != "" && version != "" && uid == knownUID && version == knownVersion
	return known, same, anotherUID(uid, knownUID)
}

func (r *relist[T]) lookUp(key string) (known T, ok bool) {
	r.q.mu.Lock()
	defer r.q.mu.Unlock()
	delete(r.staleKeys, key)
	slot := r.q.keys.find(key)
	return r.q.knownAt(&slot)
}

// compareAgain repeats the comparison of a key that another writer has changed.
// A skipped item is queued if it has become a change, with the known object that
// it equaled.
func (r *relist[T]) compareAgain(key string) {
	if i, listed := r.changed[key]; listed {
		_, _, r.items[i].uidChanged = r.compare(key, r.items[i].uid, "")
		return
	}
	kept, listed := r.unchanged[key]
	if !listed {
		return
	}
	uid, version := r.q.meta(kept)
	known, same, uidChanged := r.compare(key, uid, version)
	if same || samePointer(known, kept) {
		r.unchanged[key] = known
		return
	}
	delete(r.unchanged, key)
	r.add(item[T]{key: key, uid: uid, object: kept, uidChanged: uidChanged})
}

func (r *relist[T]) has(key string) bool {
	if _, ok := r.changed[key]; ok {
		return true
	}
	_, ok := r.unchanged[key]
	return ok
}

// tryReplace queues the differences, unless there are keys to compare again.
func (q *DeltaFIFO[T]) tryReplace(r *relist[T], version string) (again map[string]struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	for key := range r.staleKeys {
		if !r.has(key) {
			delete(r.staleKeys, key)
		}
	}
	if len(r.staleKeys) > 0 {
		again, r.staleKeys = r.staleKeys, map[string]struct{}{}
		return again, nil
	}
	missing := q.missing(r)
	q.findReplacedUIDs(r)
	q.enqueueReplace(r, missing, version)
	q.versionsInvalid = q.versionsInvalid && !r.versionsInvalid
	return nil, nil
}

// findReplacedUIDs finds the known objects that items of the list replace or
// reject. Like missing it runs before anything is queued.
func (q *DeltaFIFO[T]) findReplacedUIDs(r *relist[T]) {
	for i := range r.items {
		if it := &r.items[i]; it.action != keepKnown && (it.uidChanged || it.action == deleteItem) {
			slot := q.keys.find(it.key)
			it.known, it.deletesKnown = q.knownAt(&slot)
		}
	}
}

// missing returns the known objects that are not in the list. They are collected
// before anything is queued, because the consumer's store may panic.
func (q *DeltaFIFO[T]) missing(r *relist[T]) []item[T] {
	var missing []item[T]
	seen := map[string]struct{}{}
	q.eachKnown(func(slot *slot[T], obj T) {
		if _, visited := seen[slot.key]; !visited && !r.has(slot.key) {
			seen[slot.key] = struct{}{}
			missing = append(missing, item[T]{key: slot.key, object: obj})
		}
	})
	return missing
}

func (q *DeltaFIFO[T]) enqueueReplace(r *relist[T], missing []item[T], version string) {
	for i := range r.items {
		q.enqueueItem(&r.items[i])
	}
	for _, it := range missing {
		slot := q.keys.find(it.key)
		q.enqueue(&slot, Deleted, it.object, true, true)
	}
	q.enqueueMarker(ReplaceEnd, version, true)
	q.setNewestVersion(version)
	if q.firstReplaceEnd == 0 {
		q.firstReplaceEnd = q.seq
	}
}

func (q *DeltaFIFO[T]) enqueueItem(it *item[T]) {
	if it.action == keepKnown {
		return
	}
	slot := q.keys.find(it.key)
	kind := Replaced
	if it.deletesKnown {
		q.enqueue(&slot, Deleted, it.known, it.uidChanged, true)
		kind = Added
	}
	if it.action == storeItem {
		q.enqueue(&slot, kind, it.object, false, true)
	}
}
