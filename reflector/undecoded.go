package reflector

import (
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
)

// maxUndecodedKeys bounds how many undecodable objects are remembered by their
// key. Further ones are only counted, until the next initial state.
const maxUndecodedKeys = 1000

// undecoded tracks the objects of the last initial state that could not be
// decoded and have since been neither decoded nor deleted. It is owned by the
// goroutine of the reflector.
type undecoded struct {
	// keys has the objects that the source has named, at most maxUndecodedKeys.
	keys map[string]struct{}
	// others counts the remaining objects.
	others int
	// first is the error of the first object.
	first error
}

// add records an object that could not be decoded. item is nil if the object
// cannot be identified.
func (u *undecoded) add(item *listwatch.ItemError, err error) {
	if u.first == nil {
		u.first = boundedError(err)
	}
	if item == nil || item.Name == "" || len(u.keys) >= maxUndecodedKeys {
		u.others++
		return
	}
	if u.keys == nil {
		u.keys = map[string]struct{}{}
	}
	u.keys[keyOf(item)] = struct{}{}
}

// remove records that an object has been decoded or deleted. It reports whether
// this changed the set.
func (u *undecoded) remove(item *listwatch.ItemError) bool {
	key := keyOf(item)
	if _, ok := u.keys[key]; !ok {
		return false
	}
	delete(u.keys, key)
	if u.count() == 0 {
		u.first = nil
	}
	return true
}

func (u *undecoded) count() int { return len(u.keys) + u.others }

// keyOf returns the key of an object as stores use it: namespace/name, or the
// name.
func keyOf(item *listwatch.ItemError) string {
	if item.Namespace == "" {
		return item.Name
	}
	return item.Namespace + "/" + item.Name
}

// initialStateRead records that the initial state has been read completely. It
// is called before the store has the state, so that State reports missing
// objects no later than the store lacks them.
func (r *Reflector[T]) initialStateRead() {
	r.undecoded, r.pendingUndecoded = r.pendingUndecoded, undecoded{}
	r.published.publishMissing(&r.undecoded)
}

// noteDecoded is called when the store has received an event of a watch.
func (r *Reflector[T]) noteDecoded(ev watchEvent[T]) {
	if len(r.undecoded.keys) == 0 {
		return
	}
	item := ev.itemErr
	switch {
	case item != nil && item.Type != watch.Deleted, !hasObject(ev.event.Type) && item == nil:
		return
	case item == nil:
		item = itemOf(ev.event.Object)
	}
	if r.undecoded.remove(item) {
		r.published.publishMissing(&r.undecoded)
	}
}
