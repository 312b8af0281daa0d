package kinds

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// table is the merge table. Its types are read as they are asked for: a program
// needs few of them.
type table struct {
	// kinds read the type of each.
	kinds map[schema.GroupVersionKind]func() *Type
	// parts are the lines of each type, by its name.
	parts map[string]string

	mu sync.Mutex
	// types that have been read, by what the table calls them, with what is
	// special about them. All that a type refers to has been read once the lock
	// is free.
	types map[string]*Type
}

// words of the table for types that are not composed.
var words = map[string]sort{
	"string": text, "int32": number, "int64": number, "float64": number, "bool": boolean, "scalar": scalar,
	"any": anything, "raw": raw,
}

// newTable finds where everything is.
func newTable(from string) (*table, error) {
	t := &table{kinds: map[schema.GroupVersionKind]func() *Type{}, parts: make(map[string]string, 512), types: map[string]*Type{}}
	for word, sort := range words {
		t.types[word] = &Type{name: word, sort: sort, preserve: sort == anything || sort == raw}
	}
	t.types["object"] = &Type{name: "object", sort: object, element: t.types["any"], preserve: true}
	// A part of the table is parted from the next by an empty line.
	for part := range strings.SplitSeq(from, "\n\n") {
		if strings.HasPrefix(part, "type ") {
			name := strings.Fields(firstLine(part))
			if len(name) < 2 {
				return nil, fmt.Errorf("merge table: a type without a name")
			}
			if t.parts[name[1]] != "" {
				return nil, fmt.Errorf("merge table: %s is described twice", name[1])
			}
			t.parts[name[1]] = part
			continue
		}
		for line := range strings.SplitSeq(part, "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			if err := t.kind(line); err != nil {
				return nil, fmt.Errorf("merge table: %w", err)
			}
		}
	}
	return t, nil
}

func firstLine(of string) string {
	line, _, _ := strings.Cut(of, "\n")
	return line
}

// kind reads a line such as
//
//	kind apps/v1 Deployment apps.Deployment
func (t *table) kind(line string) error {
	parts := strings.Fields(line)
	if len(parts) != 4 || parts[0] != "kind" {
		return fmt.Errorf("%q is neither a kind nor a type", line)
	}
	version, err := schema.ParseGroupVersion(parts[1])
	if err != nil {
		return err
	}
	t.kinds[version.WithKind(parts[2])] = sync.OnceValue(func() *Type { return t.must(parts[3]) })
	return nil
}

// must is the type of a name, which is in the table.
func (t *table) must(name string) *Type {
	t.mu.Lock()
	defer t.mu.Unlock()
	typ, err := t.named(name)
	if err != nil {
		panic(fmt.Errorf("merge table: %w", err))
	}
	return typ
}

// all types by their names, every one of them read.
func (t *table) all() (map[string]*Type, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.parts {
		if _, err := t.named(name); err != nil {
			return nil, err
		}
	}
	return t.types, nil
}

// named is a type of the table with all that it refers to.
func (t *table) named(name string) (*Type, error) {
	if typ := t.types[name]; typ != nil {
		return typ, nil
	}
	lines, ok := t.parts[name]
	if !ok {
		return nil, fmt.Errorf("%s is used and not described", name)
	}
	size := strings.Count(lines, "\n")
	typ := &Type{name: name, sort: object, fields: make(map[string]*field, size)}
	t.types[name] = typ // before its fields, which may be of it
	fields := make([]field, size)
	first, lines, _ := strings.Cut(lines, "\n")
	typ.atomic = strings.HasSuffix(first, " atomic")
	for i := 0; lines != ""; i++ {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		if err := t.field(typ, &fields[i], strings.TrimPrefix(line, "\t")); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return typ, nil
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
			_, written, _ := strings.Cut(value, ":")
			read.form = form(written)
		case "go":
			read.goType = value
		case "in":
			read.parts = strings.Split(value, ".")
		default:
			return fmt.Errorf("field %s: unknown word %q", name, word)
		}
	}
	var err error
	if read.Type, err = t.typ(written, keys, set); err != nil {
		return err
	}
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
func (t *table) typ(written, keys string, set bool) (*Type, error) {
	name := written
	switch {
	case keys != "":
		name += " key=" + keys
	case set:
		name += " set"
	}
	if known := t.types[name]; known != nil {
		return known, nil
	}
	made := &Type{name: name, sort: list, set: set}
	element, isList := strings.CutPrefix(written, "[]")
	if !isList {
		var isMap bool
		if element, isMap = strings.CutPrefix(written, "{}"); !isMap {
			return t.named(written)
		}
		made.sort = object
	}
	if keys != "" {
		made.keys = strings.Split(keys, ",")
	}
	var err error
	if made.element, err = t.typ(element, "", false); err != nil {
		return nil, err
	}
	t.types[name] = made
	return made, nil
}
