package kinds

import (
	_ "embed" // of the table
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// mergeText is the table; its head explains it.
//
//go:embed merge.txt
var mergeText string

// TypeOf is the type of a built-in kind, nil if there is none. What the table
// says of it is read when it is first asked for.
func TypeOf(kind schema.GroupVersionKind) *Type {
	if typ := mergeTable().kinds[kind]; typ != nil {
		return typ()
	}
	return nil
}

// builtinType is the type that the table calls so.
func builtinType(name string) *Type { return mergeTable().must(name) }

// mergeTable panics if the table is broken: it is a part of the program, and a
// test has read all of it.
var mergeTable = sync.OnceValue(func() *table {
	made, err := newTable(mergeText)
	if err != nil {
		panic(err)
	}
	return made
})

// Empty is a new object of a built-in kind as its Go type encodes it. Fields
// that are in it are not added by whom else sets them, and the field manager
// counts them so. Objects of other kinds have a kind and nothing else.
func Empty(kind schema.GroupVersionKind) *unstructured.Unstructured {
	made := map[string]any{}
	if typ := TypeOf(kind); typ != nil {
		made = typ.empty()
	}
	version, name := kind.ToAPIVersionAndKind()
	made["apiVersion"], made["kind"] = version, name
	return &unstructured.Unstructured{Object: made}
}

func (t *Type) empty() map[string]any {
	made := map[string]any{}
	for name, field := range t.fields {
		switch {
		case !field.always:
		case field.null:
			made[name] = nil
		case field.sort == text:
			made[name] = ""
		case field.sort == number:
			made[name] = int64(0)
		case field.sort == boolean:
			made[name] = false
		case field.sort == object && field.fields != nil:
			made[name] = field.empty()
		default:
			made[name] = nil
		}
	}
	return made
}
