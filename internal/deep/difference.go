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
// Unexported fields beside visible ones are not compared, since read-only methods
// may fill them in. A struct without visible fields is compared as a value if it is
// comparable.
func Difference[T any](obj, copied T) (path string, differs bool) {
	a, b := reflect.ValueOf(&obj).Elem(), reflect.ValueOf(&copied).Elem()
	c := comparer{}
	if path, differs = c.compare(a, b); c.aborted {
		c = comparer{visited: map[[2]reference]bool{}}
		path, differs = c.compare(a, b)
	}
	return strings.TrimPrefix(path, "."), differs
}

// A comparer compares a value with its copy, depth first, up to the first
// difference. The methods return the path relative to their arguments.
type comparer struct {
	depth, steps int
	// aborted is as in a copier. visited has the pairs that have been or are being
	// compared; it is nil in the first attempt.
	aborted bool
	visited map[[2]reference]bool
}

func (c *comparer) compare(a, b reflect.Value) (path string, differs bool) {
	if !mayShare(a.Kind()) {
		return "", !sameScalar(a, b)
	}
	if c.aborted {
		return "", false
	}
	c.depth++
	c.steps++
	if (c.depth > maxDepth || c.steps > maxSteps) && c.visited == nil {
		c.aborted = true
		return "", false
	}
	path, differs = c.compareByKind(a, b)
	c.depth--
	return path, differs
}

func (c *comparer) compareByKind(a, b reflect.Value) (path string, differs bool) {
	switch a.Kind() {
	case reflect.Struct:
		return c.fields(addressable(a), addressable(b))
	case reflect.Array:
		return c.elements(addressable(a), addressable(b))
	}
	if a.IsNil() || b.IsNil() {
		return "", a.IsNil() != b.IsNil()
	}
	if a.Kind() == reflect.Interface {
		if a.Elem().Type() != b.Elem().Type() {
			return "", true
		}
		return c.compare(a.Elem(), b.Elem())
	}
	if c.visit(a, b) {
		return "", false
	}
	switch a.Kind() {
	case reflect.Pointer:
		if opaque(a.Type().Elem()) {
			return "", a.Pointer() != b.Pointer()
		}
		return c.compare(a.Elem(), b.Elem())
	case reflect.Map:
		return c.entries(a, b)
	default:
		return c.elements(a, b)
	}
}

// visit reports whether this pair of references has been visited before.
func (c *comparer) visit(a, b reflect.Value) bool {
	if c.visited == nil {
		return false
	}
	pair := [2]reference{referenceOf(a), referenceOf(b)}
	if c.visited[pair] {
		return true
	}
	c.visited[pair] = true
	return false
}

func (c *comparer) fields(a, b reflect.Value) (path string, differs bool) {
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
		if path, differs = c.compare(current, copied); differs {
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

func (c *comparer) elements(a, b reflect.Value) (path string, differs bool) {
	if a.Len() != b.Len() {
		return "", true
	}
	for i := range a.Len() {
		if path, differs = c.compare(a.Index(i), b.Index(i)); differs {
			return "[" + strconv.Itoa(i) + "]" + path, true
		}
	}
	return "", false
}

func (c *comparer) entries(a, b reflect.Value) (path string, differs bool) {
	for entry := a.MapRange(); entry.Next(); {
		copied := b.MapIndex(entry.Key())
		if !copied.IsValid() {
			if !entry.Key().Equal(entry.Key()) { // NaN cannot be looked up
				continue
			}
			return keyStep(a.Type(), entry.Key()), true
		}
		if path, differs = c.compare(entry.Value(), copied); differs {
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
