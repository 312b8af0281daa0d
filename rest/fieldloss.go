package rest

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/wire"
)

// resourceFieldLosses are the fields that updates of a Go type would drop: object
// for Update, status for UpdateStatus.
type resourceFieldLosses struct{ object, status fieldLosses }

// record records a decoded object.
func (l *resourceFieldLosses) record(decoded any, d wire.Dropped) {
	l.object.record(decoded, d.First)
	l.status.record(decoded, d.Status)
}

// fieldLosses records the objects that lost a field because the Go type does not have
// it, so that Update can refuse to write them back without the field. It
// identifies an object by its uid, not by its value, because programs update
// copies. A value without a uid is found by its name.
//
// It tracks a bounded number of objects. Beyond that, all objects of the type count
// as having lost fields.
type fieldLosses struct {
	// nonEmpty is set after the first loss; nothing is looked up before.
	nonEmpty atomic.Bool

	mu          sync.Mutex
	byObject    map[objectID]string // path of the first field lost, by uid and by name
	everyObject string              // path for all objects, "" below the bound
}

const maxTrackedLosses = 1024

// fieldLossesOf returns the losses of a resource decoded into a Go type, for all
// API versions.
func (c *Client) fieldLossesOf(info ResourceInfo, t reflect.Type) *resourceFieldLosses {
	type key struct {
		resource schema.GroupResource
		t        reflect.Type
	}
	found, _ := c.fieldLosses.LoadOrStore(key{info.GroupResource(), t}, &resourceFieldLosses{})
	return found.(*resourceFieldLosses)
}

// record records a decoded object and the path of the first skipped field, "" if
// there is none.
func (l *fieldLosses) record(decoded any, path string) {
	if path == "" && !l.nonEmpty.Load() {
		return
	}
	object, ok := decoded.(Object)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.everyObject != "" {
		return
	}
	if path == "" {
		delete(l.byObject, uidKey(object))
		delete(l.byObject, nameKey(object))
		return
	}
	if l.byObject == nil {
		l.byObject = map[objectID]string{}
	}
	l.byObject[nameKey(object)] = path
	if object.GetUID() != "" {
		l.byObject[uidKey(object)] = path
	}
	if len(l.byObject) > 2*maxTrackedLosses {
		l.everyObject, l.byObject = path, nil
	}
	l.nonEmpty.Store(true)
}

// check returns an error if writing the object would drop fields.
func (l *fieldLosses) check(object Object) error {
	if !l.nonEmpty.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	path := l.everyObject
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

// objectID identifies an object by its UID, or by its namespace and name. It is a
// struct, since a string would have to be allocated for each decoded object.
type objectID struct {
	uid             types.UID
	namespace, name string
}

func uidKey(o Object) objectID  { return objectID{uid: o.GetUID()} }
func nameKey(o Object) objectID { return objectID{namespace: o.GetNamespace(), name: o.GetName()} }

// isSlim reports whether a struct embeds SlimMeta, at any depth: such a type omits
// fields on purpose.
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
