package deep

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

// Difference compares an object with a copy that [Copy] returned, and returns the
// path of the first difference by JSON names: spec.containers[0].image,
// metadata.labels[app].
//
// Unexported fields beside visible ones are not compared,
// since read-only methods may fill them in. A struct without visible fields is
// compared as a value if it is comparable.
func Difference[T any](obj, copied T) (path string, differs bool) {
	a, b := reflect.ValueOf(&obj).Elem(), reflect.ValueOf(&copied).Elem()
	d := differ{}
	if path, differs = d.compare(a, b); d.aborted {
		d = differ{visited: map[[2]reference]bool{}}
		path, differs = d.compare(a, b)
	}
	return strings.TrimPrefix(path, "."), differs
}

// A differ compares a value with its copy, depth first, up to the first
// difference. The methods return the path relative to their arguments.
type differ struct {
	depth, steps int
	// aborted is as in a copier. visited has the pairs that have been or are being
	// compared; it is nil in the first attempt.
	aborted bool
	visited map[[2]reference]bool
}

func (d *differ) compare(a, b reflect.Value) (path string, differ bool) {
	if !mayShare(a.Kind()) {
		return "", !sameScalar(a, b)
	}
	if d.aborted {
		return "", false
	}
	d.depth++
	d.steps++
	if (d.depth > maxDepth || d.steps > maxSteps) && d.visited == nil {
		d.aborted = true
		return "", false
	}
	path, differ = d.compareByKind(a, b)
	d.depth--
	return path, differ
}

func (d *differ) compareByKind(a, b reflect.Value) (path string, differ bool) {
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
	if d.visit(a, b) {
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

// visit reports whether this pair of references has been visited before.
func (d *differ) visit(a, b reflect.Value) bool {
	if d.visited == nil {
		return false
	}
	pair := [2]reference{referenceOf(a), referenceOf(b)}
	if d.visited[pair] {
		return true
	}
	d.visited[pair] = true
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
	if hasNoVisibleFields(a.Type()) {
		return "", !containsSyncType(a.Type()) && a.Comparable() && b.Comparable() && !a.Equal(b)
	}
	for i := range a.NumField() {
		current, visible := visibleField(a, i)
		if !visible {
			continue
		}
		copied, _ := visibleField(b, i)
		if path, differ = d.compare(current, copied); differ {
			return fieldStep(a.Type(), i) + path, true
		}
	}
	return "", false
}

// containsSyncType reports whether t is or contains a type that readers modify,
// such as a mutex.
func containsSyncType(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	if path := t.PkgPath(); path == "sync" || path == "sync/atomic" {
		return true
	}
	for i := range t.NumField() {
		if containsSyncType(t.Field(i).Type) {
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
		copied := b.MapIndex(entry.Key())
		if !copied.IsValid() {
			if !entry.Key().Equal(entry.Key()) { // NaN cannot be looked up
				continue
			}
			return keyStep(a.Type(), entry.Key()), true
		}
		if path, differ = d.compare(entry.Value(), copied); differ {
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

// sameScalar compares values that cannot refer to mutable state. NaN equals NaN.
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

// addressable returns v, or an addressable copy of it.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	at := reflect.New(v.Type()).Elem()
	at.Set(v)
	return at
}

// fieldStep returns the path element of a field by its JSON name. It is "" for an
// inlined field.
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

// keyStep returns the path element of a map key. Untyped content consists of maps
// at all levels; its keys are written like fields.
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
