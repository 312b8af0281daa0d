package kubeconfig

import (
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// node is a value in a decoded document. A missing value is read as the zero value
// of its type. A value of a wrong type is recorded as an error that has the path of
// the node, and never the value.
type node struct {
	value any
	path  string
	errs  *[]error // shared by all nodes of a document
}

// maxErrors limits the errors reported for a document.
const maxErrors = 8

func (n node) addError(format string, args ...any) {
	if len(*n.errs) < maxErrors {
		where := n.path
		if where == "" {
			where = "the document"
		}
		*n.errs = append(*n.errs, fmt.Errorf("%s: %w", where, fmt.Errorf(format, args...)))
	}
}

func (n node) exists() bool { return n.value != nil }

// field returns the value of a key of a mapping.
func (n node) field(name string) node {
	inner := node{path: name, errs: n.errs}
	if n.path != "" {
		inner.path = n.path + "." + name
	}
	switch m := n.value.(type) {
	case map[string]any:
		inner.value = m[name]
	case map[any]any:
		inner.value = m[name]
	}
	return inner
}

// mapping returns the node if it is a mapping. Otherwise it records one error and
// returns an empty node.
func (n node) mapping() node {
	switch n.value.(type) {
	case nil, map[string]any, map[any]any:
		return n
	}
	n.addError("want a map, found %s", typeName(n.value))
	return node{path: n.path, errs: n.errs}
}

func (n node) stringValue() string {
	switch value := n.value.(type) {
	case nil:
	case string:
		return value
	case map[string]any, map[any]any, []any:
		n.addError("want a string, found %s", typeName(n.value))
	default:
		n.addError("want a string, found %s: put it in quotes", typeName(n.value))
	}
	return ""
}

func (n node) boolValue() bool {
	value, ok := n.value.(bool)
	if !ok && n.exists() {
		n.addError("want a boolean, found %s", typeName(n.value))
	}
	return value
}

// base64Value returns the decoded bytes of a base64 string.
func (n node) base64Value() []byte {
	text := n.stringValue()
	if text == "" {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		// The offset in the error is wrong if the string has line breaks.
		n.addError("%w", errNotBase64)
		return nil
	}
	return data
}

var errNotBase64 = errors.New("the string is not base64")

// items returns the elements of a list.
func (n node) items() iter.Seq[node] {
	return func(yield func(node) bool) {
		list, ok := n.value.([]any)
		if !ok && n.exists() {
			n.addError("want a list, found %s", typeName(n.value))
		}
		for i, value := range list {
			if !yield(node{value, fmt.Sprintf("%s[%d]", n.path, i), n.errs}) {
				return
			}
		}
	}
}

func (n node) stringList() (all []string) {
	for item := range n.items() {
		all = append(all, item.stringValue())
	}
	return all
}

// stringLists returns the lists of strings of a mapping by key.
func (n node) stringLists() map[string][]string {
	var lists map[string][]string
	for _, name := range n.keys() {
		if lists == nil {
			lists = map[string][]string{}
		}
		lists[name] = n.field(name).stringList()
	}
	return lists
}

// keys returns the keys of a mapping, sorted so that the order of errors is stable.
func (n node) keys() (names []string) {
	switch m := n.mapping().value.(type) {
	case map[string]any:
		names = slices.Collect(maps.Keys(m))
	case map[any]any:
		for name := range m {
			if text, ok := name.(string); ok {
				names = append(names, text)
			} else {
				n.addError("want strings as keys, found %s: put it in quotes", typeName(name))
			}
		}
	}
	slices.Sort(names)
	return names
}

func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case map[string]any, map[any]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}
