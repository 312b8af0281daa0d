package kubeconfig

import (
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// node is a place in a decoded document. What is not there reads as the zero
// value of whatever is asked for; what has another type is noted with the path
// that leads to it, never with the value.
type node struct {
	value any
	path  string
	wrong *[]error // shared by all nodes of a document
}

// mostWrong errors are shown of a document; the others are likely more of the
// same.
const mostWrong = 8

func (n node) fault(format string, args ...any) {
	if len(*n.wrong) < mostWrong {
		where := n.path
		if where == "" {
			where = "the document"
		}
		*n.wrong = append(*n.wrong, fmt.Errorf("%s: %w", where, fmt.Errorf(format, args...)))
	}
}

func (n node) here() bool { return n.value != nil }

// at is the field of a map.
func (n node) at(field string) node {
	inner := node{path: field, wrong: n.wrong}
	if n.path != "" {
		inner.path = n.path + "." + field
	}
	switch m := n.value.(type) {
	case map[string]any:
		inner.value = m[field]
	case map[any]any:
		inner.value = m[field]
	}
	return inner
}

// fields is the node if it is a map; else that is noted, once, and what comes
// back is a place where nothing is.
func (n node) fields() node {
	switch n.value.(type) {
	case nil, map[string]any, map[any]any:
		return n
	}
	n.fault("want a map, found %s", kindOf(n.value))
	return node{path: n.path, wrong: n.wrong}
}

func (n node) text() string {
	switch value := n.value.(type) {
	case nil:
	case string:
		return value
	case map[string]any, map[any]any, []any:
		n.fault("want a text, found %s", kindOf(n.value))
	default:
		n.fault("want a text, found %s: put it in quotes", kindOf(n.value))
	}
	return ""
}

func (n node) flag() bool {
	value, ok := n.value.(bool)
	if !ok && n.here() {
		n.fault("want true or false, found %s", kindOf(n.value))
	}
	return value
}

// data is what a text holds in base64.
func (n node) data() []byte {
	text := n.text()
	if text == "" {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		// The error would say where, but a line break in the text moves it.
		n.fault("%w", errNotBase64)
		return nil
	}
	return data
}

var errNotBase64 = errors.New("the text is not base64")

// items are the elements of a list.
func (n node) items() iter.Seq[node] {
	return func(yield func(node) bool) {
		list, ok := n.value.([]any)
		if !ok && n.here() {
			n.fault("want a list, found %s", kindOf(n.value))
		}
		for i, value := range list {
			if !yield(node{value, fmt.Sprintf("%s[%d]", n.path, i), n.wrong}) {
				return
			}
		}
	}
}

func (n node) texts() (all []string) {
	for item := range n.items() {
		all = append(all, item.text())
	}
	return all
}

// textLists are the fields of a map, each a list of texts.
func (n node) textLists() map[string][]string {
	var lists map[string][]string
	for _, name := range n.names() {
		if lists == nil {
			lists = map[string][]string{}
		}
		lists[name] = n.at(name).texts()
	}
	return lists
}

// names are those of the fields of a map, sorted: errors come in that order.
func (n node) names() (names []string) {
	switch m := n.fields().value.(type) {
	case map[string]any:
		names = slices.Collect(maps.Keys(m))
	case map[any]any:
		for name := range m {
			if text, ok := name.(string); ok {
				names = append(names, text)
			} else {
				n.fault("want texts for names, found %s: put it in quotes", kindOf(name))
			}
		}
	}
	slices.Sort(names)
	return names
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case map[string]any, map[any]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return "a text"
	case bool:
		return "true or false"
	}
	return "a number"
}
