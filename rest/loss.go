package rest

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// losses remembers of which objects a field was skipped because the Go type
// does not have it, so that Update can refuse to send them back without it. It
// goes by the object's uid, not by the value: programs update copies. A value
// without a uid is looked up by its name.
//
// It holds a bounded number of objects. A type that loses fields of more than
// that loses fields of nearly all, and counts as one that loses them of all.
type losses struct {
	// some is set once anything has been lost; nothing is looked up before.
	some atomic.Bool

	mu       sync.Mutex
	byObject map[string]string // path of the first field lost, by uid and by name
	all      string            // the same for every object, "" if not yet
}

const maxLosses = 1024

// lossesOf are those of one resource decoded into one Go type, in whichever
// version of the API it was read.
func (c *Client) lossesOf(info ResourceInfo, t reflect.Type) *losses {
	type key struct {
		resource schema.GroupResource
		t        reflect.Type
	}
	found, _ := c.losses.LoadOrStore(key{info.GroupResource(), t}, &losses{})
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
		delete(l.byObject, uidKey(object))
		delete(l.byObject, nameKey(object))
		return
	}
	if l.byObject == nil {
		l.byObject = map[string]string{}
	}
	l.byObject[nameKey(object)] = path
	if object.GetUID() != "" {
		l.byObject[uidKey(object)] = path
	}
	if len(l.byObject) > 2*maxLosses {
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
		key := nameKey(object)
		if object.GetUID() != "" {
			key = uidKey(object)
		}
		path = l.byObject[key]
	}
	if path == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrWouldDropFields, path)
}

func uidKey(o Object) string  { return "uid/" + string(o.GetUID()) }
func nameKey(o Object) string { return "name/" + o.GetNamespace() + "/" + o.GetName() }

// isSlim says whether a struct has SlimMeta embedded, at whatever depth: such a
// type is made to show less than there is.
func isSlim(t reflect.Type) bool {
	if t == reflect.TypeFor[SlimMeta]() {
		return true
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous && field.Type.Kind() == reflect.Struct && isSlim(field.Type) {
			return true
		}
	}
	return false
}
