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

// Converter defines for the field manager how objects of one kind are merged.
// Applied objects must match their type. Stored objects need not, since objects of
// built-in kinds are not validated: unknown fields are managed by their apparent
// type, and values of a wrong type have no manager.
type Converter struct {
	stored, applied func() typed.ParseableType
	kind            *Type
}

// NewConverter returns a converter for objects of a type; nil is an unknown type.
// Schemas are built on first use and kept.
func NewConverter(typ *Type) *Converter {
	if typ == nil {
		deduced := func() typed.ParseableType { return typed.DeducedParseableType }
		return &Converter{stored: deduced, applied: deduced}
	}
	return &Converter{
		kind:    typ,
		stored:  sync.OnceValue(func() typed.ParseableType { return parseable(typ, true) }),
		applied: sync.OnceValue(func() typed.ParseableType { return parseable(typ, false) }),
	}
}

// converters has the converters of the built-in kinds and of Scale.
var converters = sync.OnceValue(func() map[schema.GroupVersionKind]func() *Converter {
	result := map[schema.GroupVersionKind]func() *Converter{}
	for kind, typ := range mergeTable().kinds {
		result[kind] = sync.OnceValue(func() *Converter { return NewConverter(typ()) })
	}
	return result
})

// ConverterOf returns the converter of a built-in kind, nil for other kinds.
func ConverterOf(kind schema.GroupVersionKind) *Converter {
	if converter := converters()[kind]; converter != nil {
		return converter()
	}
	return nil
}

// ObjectToTyped implements managedfields.TypeConverter. The field manager allows
// duplicates only in stored objects.
func (c *Converter) ObjectToTyped(object runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	content, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("merge: got a %T, want *unstructured.Unstructured", object)
	}
	if len(options) == 0 {
		if _, err := c.applied().FromUnstructured(content.Object); err != nil {
			return nil, err
		}
	}
	value, err := c.stored().FromUnstructured(content.Object, options...)
	if err == nil || c.kind == nil {
		return value, err
	}
	matching, _ := c.kind.conforming(content.Object)
	return c.stored().FromUnstructured(matching, options...)
}

// TypedToObject implements managedfields.TypeConverter.
func (c *Converter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	content, ok := value.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("merge: the result is a %T, want an object", value.AsValue().Unstructured())
	}
	return &unstructured.Unstructured{Object: content}, nil
}
