package jsonobj

import (
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Plan describes how values of one Go type are decoded. It is compiled once,
// immutable, and safe for concurrent use.
type Plan struct {
	typ  reflect.Type
	root *node
	// slices is the number of slice nodes.
	slices int
}

// plans caches the Plan, or the error, of each requested type. The number of types in
// a program is bounded.
var plans sync.Map // from reflect.Type to planResult

type planResult struct {
	plan *Plan
	err  error
}

// PlanOf returns the plan of a type that can hold an object or an array: a struct, a
// map, a slice, an array, an interface or a pointer. The error names the field that
// cannot be decoded.
//
// unstructured.Unstructured is filled with the content of the document; a kind is not
// required.
func PlanOf(t reflect.Type) (*Plan, error) {
	if !isContainer(t) {
		return nil, fmt.Errorf("plan the decoding of %v: not a struct, map, slice, array, interface or pointer", t)
	}
	if known, ok := plans.Load(t); ok {
		known := known.(planResult)
		return known.plan, known.err
	}
	plan, err := compile(t)
	result := planResult{plan, nil}
	if err != nil {
		result = planResult{nil, fmt.Errorf("plan the decoding of %v: %w", t, err)}
	}
	known, _ := plans.LoadOrStore(t, result)
	result = known.(planResult)
	return result.plan, result.err
}

func isContainer(t reflect.Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array, reflect.Interface, reflect.Pointer:
		return true
	}
	return false
}

var unstructuredType = reflect.TypeFor[unstructured.Unstructured]()

func compile(t reflect.Type) (*Plan, error) {
	if t == unstructuredType {
		return &Plan{typ: t, root: &node{mode: asUnstructured, typ: t}}, nil
	}
	c := compiler{nodes: map[nodeKey]*node{}}
	root, err := c.pointee(t)
	if err != nil {
		return nil, err
	}
	return &Plan{typ: t, root: withMetadata(withTypeNames(root)), slices: c.slices}, nil
}
