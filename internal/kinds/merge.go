package kinds

import (
	_ "embed" // of the table
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// mergeText is the table. Its header explains the format.
//
//go:embed merge.txt
var mergeText string

// TypeOf returns the type of a built-in kind, nil if there is none. It is parsed
// on first use.
func TypeOf(kind schema.GroupVersionKind) *Type {
	if typ := mergeTable().kinds[kind]; typ != nil {
		return typ()
	}
	return nil
}

// builtinType returns the type of that name in the table.
func builtinType(name string) *Type { return mergeTable().mustType(name) }

// mergeTable panics if the table is invalid: it is part of the program, and a
// test parses all of it.
var mergeTable = sync.OnceValue(func() *table {
	result, err := newTable(mergeText)
	if err != nil {
		panic(err)
	}
	return result
})

// Empty returns a new object of a built-in kind as its Go type encodes it. The
// field manager treats the fields in it as present, so setting them adds no
// ownership. An object of another kind has only apiVersion and kind.
func Empty(kind schema.GroupVersionKind) *unstructured.Unstructured {
	result := map[string]any{}
	if typ := TypeOf(kind); typ != nil {
		result = typ.empty()
	}
	version, name := kind.ToAPIVersionAndKind()
	result["apiVersion"], result["kind"] = version, name
	return &unstructured.Unstructured{Object: result}
}

func (t *Type) empty() map[string]any {
	result := map[string]any{}
	for name, field := range t.fields {
		switch {
		case !field.alwaysEncoded:
		case field.emptyIsNull:
			result[name] = nil
		case field.kind == text:
			result[name] = ""
		case field.kind == number:
			result[name] = int64(0)
		case field.kind == boolean:
			result[name] = false
		case field.kind == object && field.fields != nil:
			result[name] = field.empty()
		default:
			result[name] = nil
		}
	}
	return result
}
