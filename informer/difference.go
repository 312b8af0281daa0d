package informer

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// changedField compares an object with the copy that deepCopy has made of it,
// and says where the two differ. What a type hides beside what it shows is not
// compared: it may be filled in by methods that only read. A type that hides all
// is a value, and compared if it can be.
func changedField[T any](obj, copied *T) (path string, changed bool) {
	a, b := reflect.ValueOf(obj).Elem(), reflect.ValueOf(copied).Elem()
	d := differ{}
	if path, changed = d.compare(a, b); d.tangled {
		d = differ{seen: map[[2]reference]bool{}}
		path, changed = d.compare(a, b)
	}
	return strings.TrimPrefix(path, "."), changed
}

// A differ compares a value with its copy, depth first, up to the first
// difference. Whatever it returns is the path from there on.
type differ struct {
	depth, steps int
	// tangled, and seen, which is nil at first, are as in a copier: seen is what
	// is being or has been compared with what, and need not be again.
	tangled bool
	seen    map[[2]reference]bool
}

func (d *differ) compare(a, b reflect.Value) (path string, differ bool) {
	if !refers(a.Kind()) {
		return "", !sameScalar(a, b)
	}
	if d.tangled {
		return "", false
	}
	d.depth++
	d.steps++
	if (d.depth > deepest || d.steps > longest) && d.seen == nil {
		d.tangled = true
		return "", false
	}
	path, differ = d.inner(a, b)
	d.depth--
	return path, differ
}

func (d *differ) inner(a, b reflect.Value) (path string, differ bool) {
	switch a.Kind() {
	case reflect.Struct:
		return d.fields(addressable(a), addressable(b))
	case reflect.Array:
		return d.elements(addressable(a), addressable(b))
	}
	if a.IsNil() || b.IsNil() {
		return "", a.IsNil() != b.IsNil()
	}
	if a.Kind() == reflect.Interface {
		if a.Elem().Type() != b.Elem().Type() {
			return "", true
		}
		return d.compare(a.Elem(), b.Elem())
	}
	if d.met(a, b) {
		return "", false
	}
	switch a.Kind() {
	case reflect.Pointer:
		if opaque(a.Type().Elem()) {
			return "", a.Pointer() != b.Pointer()
		}
		return d.compare(a.Elem(), b.Elem())
	case reflect.Map:
		return d.entries(a, b)
	default:
		return d.elements(a, b)
	}
}

// met says whether what the two refer to has been met before, side by side.
func (d *differ) met(a, b reflect.Value) bool {
	if d.seen == nil {
		return false
	}
	pair := [2]reference{referenceOf(a), referenceOf(b)}
	if d.seen[pair] {
		return true
	}
	d.seen[pair] = true
	return false
}

func (d *differ) fields(a, b reflect.Value) (path string, differ bool) {
	switch x := a.Addr().Interface().(type) {
	case *time.Time:
		return "", *x != *b.Addr().Interface().(*time.Time)
	case *resource.Quantity:
		y := b.Addr().Interface().(*resource.Quantity)
		return "", x.Cmp(*y) != 0 || x.Format != y.Format
	case *big.Int:
		return "", x.Cmp(b.Addr().Interface().(*big.Int)) != 0
	case *big.Rat:
		return "", x.Cmp(b.Addr().Interface().(*big.Rat)) != 0
	case *big.Float:
		return "", x.Cmp(b.Addr().Interface().(*big.Float)) != 0
	}
	if hidesAll(a.Type()) {
		return "", !synchronizes(a.Type()) && a.Comparable() && b.Comparable() && !a.Equal(b)
	}
	for i := range a.NumField() {
		of, visible := visibleField(a, i)
		if !visible {
			continue
		}
		was, _ := visibleField(b, i)
		if path, differ = d.compare(of, was); differ {
			return fieldStep(a.Type(), i) + path, true
		}
	}
	return "", false
}

// synchronizes says whether t is or has what readers change together, such as a
// mutex.
func synchronizes(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	if path := t.PkgPath(); path == "sync" || path == "sync/atomic" {
		return true
	}
	for i := range t.NumField() {
		if synchronizes(t.Field(i).Type) {
			return true
		}
	}
	return false
}

func (d *differ) elements(a, b reflect.Value) (path string, differ bool) {
	if a.Len() != b.Len() {
		return "", true
	}
	for i := range a.Len() {
		if path, differ = d.compare(a.Index(i), b.Index(i)); differ {
			return "[" + strconv.Itoa(i) + "]" + path, true
		}
	}
	return "", false
}

func (d *differ) entries(a, b reflect.Value) (path string, differ bool) {
	for entry := a.MapRange(); entry.Next(); {
		was := b.MapIndex(entry.Key())
		if !was.IsValid() {
			if !entry.Key().Equal(entry.Key()) { // a NaN, which is not to be found
				continue
			}
			return keyStep(a.Type(), entry.Key()), true
		}
		if path, differ = d.compare(entry.Value(), was); differ {
			return keyStep(a.Type(), entry.Key()) + path, true
		}
	}
	if a.Len() == b.Len() {
		return "", false
	}
	for _, key := range b.MapKeys() {
		if key.Equal(key) && !a.MapIndex(key).IsValid() {
			return keyStep(a.Type(), key), true
		}
	}
	return "", true
}

// sameScalar compares what cannot refer to anything that changes. A NaN is the
// same as itself.
func sameScalar(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Func:
		return a.IsNil() == b.IsNil()
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return math.Float64bits(real(x)) == math.Float64bits(real(y)) && math.Float64bits(imag(x)) == math.Float64bits(imag(y))
	}
	return a.Equal(b)
}

// addressable is v, or a copy of it that has an address.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	at := reflect.New(v.Type()).Elem()
	at.Set(v)
	return at
}

// fieldStep is the name of a field in JSON; what is inlined there has none.
func fieldStep(t reflect.Type, i int) string {
	field := t.Field(i)
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	switch {
	case t == reflect.TypeFor[unstructured.Unstructured](), name == "" && field.Anonymous:
		return ""
	case name == "" || name == "-":
		return "." + field.Name
	}
	return "." + name
}

// keyStep is a key of a map. Content without a schema is maps all the way down,
// and reads like fields.
func keyStep(t reflect.Type, key reflect.Value) string {
	if t.Elem().Kind() == reflect.Interface && key.Kind() == reflect.String && isIdentifier(key.String()) {
		return "." + key.String()
	}
	return fmt.Sprintf("[%v]", key)
}

func isIdentifier(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
	})
}
