package jsonobj

import (
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Plan is how values of one Go type are decoded. It is compiled once, never
// changes, and is for any number of goroutines.
type Plan struct {
	typ  reflect.Type
	root *node
	// slices is how many nodes there are of slices.
	slices int
}

// plans has the Plan of each type that was asked for, or the error. Types are
// few, and none goes away while the program runs.
var plans sync.Map // of reflect.Type to planned

type planned struct {
	plan *Plan
	err  error
}

// PlanOf is the plan of a struct type. The error names the field that cannot
// be decoded.
//
// unstructured.Unstructured is filled with what the document has; whether that
// includes a kind is not asked.
func PlanOf(t reflect.Type) (*Plan, error) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("plan the decoding of %v: not a struct type", t)
	}
	if known, ok := plans.Load(t); ok {
		known := known.(planned)
		return known.plan, known.err
	}
	plan, err := compile(t)
	made := planned{plan, nil}
	if err != nil {
		made = planned{nil, fmt.Errorf("plan the decoding of %v: %w", t, err)}
	}
	known, _ := plans.LoadOrStore(t, made)
	made = known.(planned)
	return made.plan, made.err
}

var unstructuredType = reflect.TypeFor[unstructured.Unstructured]()

func compile(t reflect.Type) (*Plan, error) {
	if t == unstructuredType {
		return &Plan{typ: t, root: &node{how: asUnstructured, typ: t}}, nil
	}
	c := compiler{nodes: map[nodeKey]*node{}}
	root, err := c.pointed(t)
	if err != nil {
		return nil, err
	}
	return &Plan{typ: t, root: withMetadata(withTypeNames(root)), slices: c.slices}, nil
}
