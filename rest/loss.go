package rest

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
)

// losses remembers of which objects a field was skipped because the Go type
// does not have it, so that Update can refuse to send them back without it. It
// goes by the object's uid, not by the value: programs update copies.
//
// It holds a bounded number of objects. A type that loses fields of more than
// that loses fields of nearly all, and counts as one that loses them of all.
type losses struct {
	// some is set once anything has been lost; nothing is looked up before.
	some atomic.Bool

	mu       sync.Mutex
	byObject map[string]string // path of the first field lost, by lossKey
	all      string            // the same for every object, "" if not yet
}

const maxLosses = 1024

// lossesOf are those of one resource decoded into one Go type.
func (c *Client) lossesOf(info ResourceInfo, t reflect.Type) *losses {
	type key struct {
		resource any
		t        reflect.Type
	}
	found, _ := c.losses.LoadOrStore(key{info.GroupVersionResource, t}, &losses{})
	return found.(*losses)
}

// note is told of each object that has been decoded, and of the path of the
// first field that was skipped, "" if all are there.
func (l *losses) note(decoded any, path string) {
	if path == "" && !l.some.Load() {
		return
	}
	object, ok := decoded.(Object)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all != "" {
		return
	}
	if path == "" {
		delete(l.byObject, lossKey(object))
		return
	}
	if l.byObject == nil {
		l.byObject = map[string]string{}
	}
	l.byObject[lossKey(object)] = path
	if len(l.byObject) > maxLosses {
		l.all, l.byObject = path, nil
	}
	l.some.Store(true)
}

// check says whether sending object back would drop what the server has.
func (l *losses) check(object Object) error {
	if !l.some.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	path := l.all
	if path == "" {
		path = l.byObject[lossKey(object)]
	}
	if path == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrWouldDropFields, path)
}

// lossKey is the uid; of an object without one, its name.
func lossKey(o Object) string {
	if uid := o.GetUID(); uid != "" {
		return string(uid)
	}
	return o.GetNamespace() + "/" + o.GetName()
}
