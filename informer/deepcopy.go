package informer

import (
	"math/big"
	"reflect"
	"slices"
	"sync"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// deepCopy copies by reflection alone, whatever obj's methods are.
func deepCopy[T any](obj T) T {
	out := obj
	at := reflect.ValueOf(&out).Elem()
	c := copier{}
	if c.copy(at); c.tangled {
		out = obj
		c = copier{copies: map[reference]reflect.Value{}}
		c.copy(at)
	}
	return out
}

// A copier replaces whatever a value shares with the one that it was assigned
// from by copies.
type copier struct {
	depth, steps int
	// tangled: the value is deeper or larger than objects are, so it may refer to
	// itself, or to one thing in very many ways, and the copying has been broken
	// off.
	tangled bool
	// copies is nil at first: hardly any object refers to itself. With it, what
	// has been met before is not copied again, and size does not matter.
	copies map[reference]reflect.Value
}

// A reference is what a pointer, map or slice refers to.
type reference struct {
	of  reflect.Type
	at  unsafe.Pointer
	len int
}

// deepest is far deeper than any schema, and longest are more parts than an
// object has that a server would take.
const (
	deepest = 500
	longest = 1 << 20
)

// copy makes v, which can be set, its own.
func (c *copier) copy(v reflect.Value) {
	if !refers(v.Kind()) || c.tangled {
		return
	}
	c.depth++
	c.steps++
	if (c.depth > deepest || c.steps > longest) && c.copies == nil {
		c.tangled = true
		return
	}
	c.inner(v)
	c.depth--
}

func (c *copier) inner(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		c.pointer(v)
	case reflect.Map:
		c.mapping(v)
	case reflect.Slice:
		c.slice(v)
	case reflect.Interface:
		c.dynamic(v)
	case reflect.Array:
		c.elements(v)
	case reflect.Struct:
		c.fields(v)
	}
}

// refers says whether an assignment of that kind may share anything that can be
// changed.
func refers(kind reflect.Kind) bool {
	switch kind {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Array, reflect.Struct:
		return true
	}
	return false
}

func (c *copier) pointer(v reflect.Value) {
	if v.IsNil() || opaque(v.Type().Elem()) || c.known(v) {
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

func (c *copier) mapping(v reflect.Value) {
	if v.IsNil() || c.known(v) {
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
	if v.IsNil() || c.known(v) {
		return
	}
	target := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(target, v)
	c.replace(v, target)
	c.elements(target)
}

func (c *copier) elements(v reflect.Value) {
	if !refers(v.Type().Elem().Kind()) {
		return
	}
	for i := range v.Len() {
		c.copy(v.Index(i))
	}
}

func (c *copier) dynamic(v reflect.Value) {
	if v.IsNil() || !refers(v.Elem().Kind()) {
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
		v.SetZero() // nobody has locked the copy
		return
	}
	for i := range v.NumField() {
		if !refers(v.Field(i).Kind()) {
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

// known puts in v's place what was copied before; false if nothing was.
func (c *copier) known(v reflect.Value) bool {
	if c.copies == nil {
		return false
	}
	target, ok := c.copies[referenceOf(v)]
	if ok {
		v.Set(target)
	}
	return ok
}

// replace puts target in v's place, and remembers it before anything in it is
// copied: that may refer to it.
func (c *copier) replace(v, target reflect.Value) {
	if c.copies != nil {
		c.copies[referenceOf(v)] = target
	}
	v.Set(target)
}

func referenceOf(v reflect.Value) reference {
	r := reference{of: v.Type(), at: v.UnsafePointer()}
	if v.Kind() == reflect.Slice {
		r.len = v.Len()
	}
	return r
}

var (
	mutexType    = reflect.TypeFor[sync.Mutex]()
	rwMutexType  = reflect.TypeFor[sync.RWMutex]()
	quantityType = reflect.TypeFor[resource.Quantity]()
	bigTypes     = []reflect.Type{reflect.TypeFor[big.Int](), reflect.TypeFor[big.Rat](), reflect.TypeFor[big.Float]()}
)

// opaque says whether t is a struct that shows nothing of itself and is more
// than a value: then a copy of it may be no working one, as with time.Location.
// What can be compared is a value.
func opaque(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && hidesAll(t) && !t.Comparable() && t != quantityType && !slices.Contains(bigTypes, t)
}

// hidesAll says whether no field of a struct is to be seen.
func hidesAll(t reflect.Type) bool {
	for i := range t.NumField() {
		if shows(t.Field(i)) {
			return false
		}
	}
	return true
}

// shows says whether a field is to be seen from other packages: it is exported,
// or lends its own exported fields to the struct around it.
func shows(field reflect.StructField) bool {
	if field.IsExported() {
		return true
	}
	t := field.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return field.Anonymous && t.Kind() == reflect.Struct
}

// visibleField is the field of a struct that can be set, as a value that can be
// set: the language does not let an embedded field of an unexported type be set,
// though its exported fields can.
func visibleField(v reflect.Value, i int) (field reflect.Value, visible bool) {
	field = v.Field(i)
	if field.CanSet() {
		return field, true
	}
	if !shows(v.Type().Field(i)) {
		return field, false
	}
	return reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem(), true
}
