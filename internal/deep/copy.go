package deep

import (
	"math/big"
	"reflect"
	"slices"
	"sync"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Copy returns a deep copy of obj. It uses reflection only and calls no method of
// obj. Cyclic references are preserved.
//
// Unexported fields, map keys, functions and channels are copied by assignment. A
// pointer to a struct that has only unexported fields and is not comparable is
// shared. A mutex is unlocked in the copy. Quantities and the numbers of math/big
// are copied with their own methods.
func Copy[T any](obj T) T {
	out := obj
	at := reflect.ValueOf(&out).Elem()
	c := copier{}
	if c.copy(at); c.aborted {
		out = obj
		c = copier{copies: map[reference]reflect.Value{}}
		c.copy(at)
	}
	return out
}

// A copier replaces everything that a value shares with its original by copies.
type copier struct {
	depth, steps int
	// aborted is set when the value is deeper or larger than real objects are: it
	// may be cyclic, or refer to one thing in very many ways.
	aborted bool
	// copies maps the references that have been copied. It is nil in the first
	// attempt, since hardly any object is cyclic. If it is not nil, there is no
	// limit on depth and size.
	copies map[reference]reflect.Value
}

// A reference identifies the target of a pointer, map or slice.
type reference struct {
	typ     reflect.Type
	pointer unsafe.Pointer
	length  int
}

// maxDepth is far deeper than any schema, and maxSteps is more than the number of
// values in any object that a server accepts.
const (
	maxDepth = 500
	maxSteps = 1 << 20
)

// copy replaces everything that v shares by copies. v must be settable.
func (c *copier) copy(v reflect.Value) {
	if !mayShare(v.Kind()) || c.aborted {
		return
	}
	c.depth++
	c.steps++
	if (c.depth > maxDepth || c.steps > maxSteps) && c.copies == nil {
		c.aborted = true
		return
	}
	c.copyByKind(v)
	c.depth--
}

func (c *copier) copyByKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		c.pointer(v)
	case reflect.Map:
		c.mapValue(v)
	case reflect.Slice:
		c.slice(v)
	case reflect.Interface:
		c.interfaceValue(v)
	case reflect.Array:
		c.elements(v)
	case reflect.Struct:
		c.fields(v)
	}
}

// mayShare reports whether an assignment of a value of that kind may share mutable
// state.
func mayShare(kind reflect.Kind) bool {
	switch kind {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Array, reflect.Struct:
		return true
	}
	return false
}

func (c *copier) pointer(v reflect.Value) {
	if v.IsNil() || opaque(v.Type().Elem()) || c.reuse(v) {
		return
	}
	target := reflect.New(v.Type().Elem())
	target.Elem().Set(v.Elem())
	if target.Type() != v.Type() { // a named type of pointers
		target = target.Convert(v.Type())
	}
	c.replace(v, target)
	c.copy(target.Elem())
}

func (c *copier) mapValue(v reflect.Value) {
	if v.IsNil() || c.reuse(v) {
		return
	}
	original := reflect.ValueOf(v.Interface())
	target := reflect.MakeMapWithSize(v.Type(), v.Len())
	element := reflect.New(v.Type().Elem()).Elem()
	c.replace(v, target)
	for entry := original.MapRange(); entry.Next(); {
		element.Set(entry.Value())
		c.copy(element)
		target.SetMapIndex(entry.Key(), element)
	}
}

func (c *copier) slice(v reflect.Value) {
	if v.IsNil() || c.reuse(v) {
		return
	}
	target := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(target, v)
	c.replace(v, target)
	c.elements(target)
}

func (c *copier) elements(v reflect.Value) {
	if !mayShare(v.Type().Elem().Kind()) {
		return
	}
	for i := range v.Len() {
		c.copy(v.Index(i))
	}
}

func (c *copier) interfaceValue(v reflect.Value) {
	if v.IsNil() || !mayShare(v.Elem().Kind()) {
		return
	}
	target := reflect.New(v.Elem().Type()).Elem()
	target.Set(v.Elem())
	c.copy(target)
	v.Set(target)
}

func (c *copier) fields(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		return
	case *resource.Quantity:
		*x = x.DeepCopy()
		return
	case *big.Int:
		*x = *new(big.Int).Set(x)
		return
	case *big.Rat:
		*x = *new(big.Rat).Set(x)
		return
	case *big.Float:
		*x = *new(big.Float).Copy(x)
		return
	case *sync.Mutex, *sync.RWMutex:
		v.SetZero() // the copy is not locked
		return
	}
	for i := range v.NumField() {
		if !mayShare(v.Field(i).Kind()) {
			continue
		}
		field, visible := visibleField(v, i)
		switch t := field.Type(); {
		case visible:
			c.copy(field)
		case t == mutexType, t == rwMutexType:
			c.copy(reflect.NewAt(t, field.Addr().UnsafePointer()).Elem())
		}
	}
}

// reuse sets v to the copy that was made of its target before, if there is one.
func (c *copier) reuse(v reflect.Value) bool {
	if c.copies == nil {
		return false
	}
	target, ok := c.copies[referenceOf(v)]
	if ok {
		v.Set(target)
	}
	return ok
}

// replace sets v to target. It records target before its content is copied, since
// the content may refer to it.
func (c *copier) replace(v, target reflect.Value) {
	if c.copies != nil {
		c.copies[referenceOf(v)] = target
	}
	v.Set(target)
}

func referenceOf(v reflect.Value) reference {
	r := reference{typ: v.Type(), pointer: v.UnsafePointer()}
	if v.Kind() == reflect.Slice {
		r.length = v.Len()
	}
	return r
}

var (
	mutexType    = reflect.TypeFor[sync.Mutex]()
	rwMutexType  = reflect.TypeFor[sync.RWMutex]()
	quantityType = reflect.TypeFor[resource.Quantity]()
	bigTypes     = []reflect.Type{reflect.TypeFor[big.Int](), reflect.TypeFor[big.Rat](), reflect.TypeFor[big.Float]()}
)

// opaque reports whether t is a struct without visible fields that is not
// comparable: a copy may not work, as with time.Location. Comparable structs are
// values and can be copied.
func opaque(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && hasNoVisibleFields(t) && !t.Comparable() && t != quantityType && !slices.Contains(bigTypes, t)
}

// hasNoVisibleFields reports whether no field of a struct is visible.
func hasNoVisibleFields(t reflect.Type) bool {
	for i := range t.NumField() {
		if isVisible(t.Field(i)) {
			return false
		}
	}
	return true
}

// isVisible reports whether other packages can access a field: it is exported, or
// it is embedded and its exported fields are promoted.
func isVisible(field reflect.StructField) bool {
	if field.IsExported() {
		return true
	}
	t := field.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return field.Anonymous && t.Kind() == reflect.Struct
}

// visibleField returns a field of a struct as a settable value. The language does
// not allow setting an embedded field of an unexported type, though its exported
// fields can be set.
func visibleField(v reflect.Value, i int) (field reflect.Value, visible bool) {
	field = v.Field(i)
	if field.CanSet() {
		return field, true
	}
	if !isVisible(v.Type().Field(i)) {
		return field, false
	}
	return reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem(), true
}
