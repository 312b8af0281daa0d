package kinds

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

var _ managedfields.TypeConverter = (*Converter)(nil)

// Converter tells the field manager how objects of one kind are merged. What is
// applied must be as its type says. What is stored need not, since objects of
// built-in kinds are not validated: fields that are not known are managed as
// what they look like, and values of another type than theirs by nobody.
type Converter struct {
	stored, applied func() typed.ParseableType
	kind            *Type
}

// NewConverter for objects of a type; nil is one of which nothing is known.
// Schemas are made when they are first needed, and kept.
func NewConverter(of *Type) *Converter {
	if of == nil {
		nothing := func() typed.ParseableType { return typed.DeducedParseableType }
		return &Converter{stored: nothing, applied: nothing}
	}
	return &Converter{
		kind:    of,
		stored:  sync.OnceValue(func() typed.ParseableType { return parseable(of, true) }),
		applied: sync.OnceValue(func() typed.ParseableType { return parseable(of, false) }),
	}
}

// converters of the built-in kinds, and of the scale.
var converters = sync.OnceValue(func() map[schema.GroupVersionKind]func() *Converter {
	made := map[schema.GroupVersionKind]func() *Converter{}
	for kind, typ := range mergeTable().kinds {
		made[kind] = sync.OnceValue(func() *Converter { return NewConverter(typ()) })
	}
	return made
})

// ConverterOf a built-in kind, nil if it is none.
func ConverterOf(kind schema.GroupVersionKind) *Converter {
	if converter := converters()[kind]; converter != nil {
		return converter()
	}
	return nil
}

// ObjectToTyped is managedfields.TypeConverter. The field manager allows
// duplicates in what is stored, and only there.
func (c *Converter) ObjectToTyped(object runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	content, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("merge a %T: it is not unstructured", object)
	}
	if len(options) == 0 {
		if _, err := c.applied().FromUnstructured(content.Object); err != nil {
			return nil, err
		}
	}
	made, err := c.stored().FromUnstructured(content.Object, options...)
	if err == nil || c.kind == nil {
		return made, err
	}
	fitting, _ := c.kind.fit(content.Object)
	return c.stored().FromUnstructured(fitting, options...)
}

// TypedToObject is managedfields.TypeConverter.
func (c *Converter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	content, ok := value.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("merge: the result is a %T and no object", value.AsValue().Unstructured())
	}
	return &unstructured.Unstructured{Object: content}, nil
}
