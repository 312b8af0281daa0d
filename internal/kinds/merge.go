package kinds

import (
	_ "embed" // of the table
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// mergeText is the table; its head explains it.
//
//go:embed merge.txt
var mergeText string

// TypeOf is the type of a built-in kind, nil if there is none. The table is
// read when the first is asked for.
func TypeOf(kind schema.GroupVersionKind) *Type { return mergeTable().kinds[kind] }

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

// mergeTable panics if the table is broken: it is a part of the program, and a
// test has read it.
var mergeTable = sync.OnceValue(func() *table {
	read, err := readTable(mergeText)
	if err != nil {
		panic(err)
	}
	return read
})

// table is the merge table as it is read.
type table struct {
	kinds map[schema.GroupVersionKind]*Type
	// types by what the table calls them, with what is special about them.
	types map[string]*Type
}

// words of the table for types that are not composed.
var words = map[string]sort{
	"string": text, "number": number, "bool": boolean, "scalar": scalar,
	"any": anything, "raw": raw,
}

func readTable(from string) (*table, error) {
	t := &table{kinds: map[schema.GroupVersionKind]*Type{}, types: make(map[string]*Type, 1024)}
	for word, sort := range words {
		t.types[word] = &Type{name: word, sort: sort, preserve: sort == anything || sort == raw}
	}
	t.types["object"] = &Type{name: "object", sort: object, element: t.types["any"], preserve: true}
	// A part of the table is parted from the next by an empty line.
	count := 1
	for part := range strings.SplitSeq(from, "\n\n") {
		if err := t.part(part, count); err != nil {
			return nil, err
		}
		count += strings.Count(part, "\n") + 2
	}
	for name, typ := range t.types {
		if typ.sort == object && typ.fields == nil && typ.element == nil {
			return nil, fmt.Errorf("merge table: %s is used and not described", name)
		}
	}
	return t, nil
}

// part reads the lines from the one of that number to the next empty one.
func (t *table) part(lines string, number int) error {
	var current *Type
	var fields []field
	for line := range strings.SplitSeq(lines, "\n") {
		var err error
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '\t' && current != nil:
			fields = append(fields, field{})
			err = t.field(current, &fields[len(fields)-1], line[1:])
		default:
			if current, err = t.head(line); current != nil {
				size := strings.Count(lines, "\n\t")
				current.fields, fields = make(map[string]*field, size), make([]field, 0, size)
			}
		}
		if err != nil {
			return fmt.Errorf("merge table, line %d: %w", number, err)
		}
		number++
	}
	return nil
}

// head reads a line that begins with kind or type.
func (t *table) head(line string) (*Type, error) {
	parts := strings.Fields(line)
	switch {
	case len(parts) == 4 && parts[0] == "kind":
		version, err := schema.ParseGroupVersion(parts[1])
		if err != nil {
			return nil, err
		}
		t.kinds[version.WithKind(parts[2])] = t.named(parts[3])
		return nil, nil
	case len(parts) >= 2 && parts[0] == "type":
		typ := t.named(parts[1])
		if typ.fields != nil {
			return nil, fmt.Errorf("%s is described twice", parts[1])
		}
		typ.atomic = len(parts) == 3 && parts[2] == "atomic"
		return typ, nil
	}
	return nil, fmt.Errorf("%q is neither a kind nor a type", line)
}

// named is a struct, which may be described further down.
func (t *table) named(name string) *Type {
	typ := t.types[name]
	if typ == nil {
		typ = &Type{name: name, sort: object}
		t.types[name] = typ
	}
	return typ
}

// field reads a line such as
//
//	ports []core.ContainerPort key=containerPort,protocol merge=containerPort
func (t *table) field(of *Type, read *field, line string) error {
	name, rest, _ := strings.Cut(line, " ")
	written, rest, _ := strings.Cut(rest, " ")
	if name == "" || written == "" {
		return fmt.Errorf("%q is no field", line)
	}
	var keys, fallback string
	var set bool
	for rest != "" {
		var word, value string
		word, rest, _ = strings.Cut(rest, " ")
		word, value, _ = strings.Cut(word, "=")
		switch word {
		case "atomic", "granular":
			read.relation = word
		case "key":
			keys = value
		case "set":
			set = true
		case "default":
			fallback = value
		case "merge":
			read.merge, read.mergeKey = true, value
		case "always":
			read.always, read.null = true, value == "null"
		case "replace":
			read.replace = true
		case "retain":
			read.retain = true
		case "wire":
			read.wire = value
		default:
			return fmt.Errorf("field %s: unknown word %q", name, word)
		}
	}
	read.Type = t.typ(written, keys, set)
	if fallback != "" {
		typ := *read.Type
		if err := json.Unmarshal([]byte(fallback), &typ.fallback); err != nil {
			return fmt.Errorf("field %s: default %s: %w", name, fallback, err)
		}
		if float, ok := typ.fallback.(float64); ok {
			typ.fallback = int64(float)
		}
		read.Type = &typ
	}
	of.fields[name] = read
	return nil
}

// typ is the type of a field, as it is written; keys and set are about its
// elements.
func (t *table) typ(written, keys string, set bool) *Type {
	name := written
	switch {
	case keys != "":
		name += " key=" + keys
	case set:
		name += " set"
	}
	if known := t.types[name]; known != nil {
		return known
	}
	made := &Type{name: name}
	if element, ok := strings.CutPrefix(written, "[]"); ok {
		made.sort, made.set = list, set
		made.element = t.typ(element, "", false)
		if keys != "" {
			made.keys = strings.Split(keys, ",")
		}
	} else if element, ok := strings.CutPrefix(written, "{}"); ok {
		made.sort, made.element = object, t.typ(element, "", false)
	} else {
		return t.named(written)
	}
	t.types[name] = made
	return made
}
