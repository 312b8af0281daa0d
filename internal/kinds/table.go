package kinds

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// table is the merge table. Types are parsed on first use, as most programs need
// few of them.
type table struct {
	// kinds has a function for each kind that parses its type.
	kinds map[schema.GroupVersionKind]func() *Type
	// typeText has the lines of each type, by its name.
	typeText map[string]string

	mu sync.Mutex
	// types has the parsed types by their notation in the table. Whenever mu is not
	// held, all types that a type refers to have been parsed, too.
	types map[string]*Type
}

// basicTypes are the names of the types that have no parts.
var basicTypes = map[string]valueKind{
	"string": text, "int32": number, "int64": number, "float64": number, "bool": boolean, "scalar": scalar,
	"any": anything, "raw": raw,
}

// newTable indexes the table.
func newTable(content string) (*table, error) {
	t := &table{kinds: map[schema.GroupVersionKind]func() *Type{}, typeText: make(map[string]string, 512), types: map[string]*Type{}}
	for name, kind := range basicTypes {
		t.types[name] = &Type{name: name, kind: kind, preserveUnknown: kind == anything || kind == raw}
	}
	t.types["object"] = &Type{name: "object", kind: object, element: t.types["any"], preserveUnknown: true}
	// Blocks of the table are separated by an empty line.
	for part := range strings.SplitSeq(content, "\n\n") {
		if strings.HasPrefix(part, "type ") {
			name := strings.Fields(firstLine(part))
			if len(name) < 2 {
				return nil, errors.New("merge table: type without a name")
			}
			if t.typeText[name[1]] != "" {
				return nil, fmt.Errorf("merge table: duplicate type %s", name[1])
			}
			t.typeText[name[1]] = part
			continue
		}
		for line := range strings.SplitSeq(part, "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			if err := t.parseKind(line); err != nil {
				return nil, fmt.Errorf("merge table: %w", err)
			}
		}
	}
	return t, nil
}

func firstLine(lines string) string {
	line, _, _ := strings.Cut(lines, "\n")
	return line
}

// parseKind parses a line such as
//
//	kind apps/v1 Deployment apps.Deployment
func (t *table) parseKind(line string) error {
	parts := strings.Fields(line)
	if len(parts) != 4 || parts[0] != "kind" {
		return fmt.Errorf("%q is neither a kind nor a type", line)
	}
	version, err := schema.ParseGroupVersion(parts[1])
	if err != nil {
		return err
	}
	t.kinds[version.WithKind(parts[2])] = sync.OnceValue(func() *Type { return t.mustType(parts[3]) })
	return nil
}

// mustType returns the type of that name and panics if the table lacks it.
func (t *table) mustType(name string) *Type {
	t.mu.Lock()
	defer t.mu.Unlock()
	typ, err := t.typeNamed(name)
	if err != nil {
		panic(fmt.Errorf("merge table: %w", err))
	}
	return typ
}

// all parses and returns all types, by their names.
func (t *table) all() (map[string]*Type, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.typeText {
		if _, err := t.typeNamed(name); err != nil {
			return nil, err
		}
	}
	return t.types, nil
}

// typeNamed returns the type of that name, with all types that it refers to.
func (t *table) typeNamed(name string) (*Type, error) {
	if typ := t.types[name]; typ != nil {
		return typ, nil
	}
	lines, ok := t.typeText[name]
	if !ok {
		return nil, fmt.Errorf("type %s is not defined", name)
	}
	size := strings.Count(lines, "\n")
	typ := &Type{name: name, kind: object, fields: make(map[string]*field, size)}
	t.types[name] = typ // before its fields, which may have this type
	fields := make([]field, size)
	first, lines, _ := strings.Cut(lines, "\n")
	typ.atomic = strings.HasSuffix(first, " atomic")
	for i := 0; lines != ""; i++ {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		if err := t.parseField(typ, &fields[i], strings.TrimPrefix(line, "\t")); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return typ, nil
}

// parseField parses a line such as
//
//	ports []core.ContainerPort key=containerPort,protocol merge=containerPort
func (t *table) parseField(typ *Type, f *field, line string) error {
	name, rest, _ := strings.Cut(line, " ")
	notation, rest, _ := strings.Cut(rest, " ")
	if name == "" || notation == "" {
		return fmt.Errorf("%q is not a field", line)
	}
	var keys, defaultValue string
	var set bool
	for rest != "" {
		var word, value string
		word, rest, _ = strings.Cut(rest, " ")
		word, value, _ = strings.Cut(word, "=")
		switch word {
		case "atomic", "granular":
			f.relation = word
		case "key":
			keys = value
		case "set":
			set = true
		case "default":
			defaultValue = value
		case "merge":
			f.merge, f.mergeKey = true, value
		case "always":
			f.alwaysEncoded, f.emptyIsNull = true, value == "null"
		case "replace":
			f.replace = true
		case "retain":
			f.retainKeys = true
		case "wire":
			f.protobufPath = value
			_, name, _ := strings.Cut(value, ":")
			f.encoding = encoding(name)
		case "go":
			f.goType = value
		case "in":
			f.inlinedStructs = strings.Split(value, ".")
		default:
			return fmt.Errorf("field %s: unknown word %q", name, word)
		}
	}
	var err error
	if f.Type, err = t.parseType(notation, keys, set); err != nil {
		return err
	}
	if defaultValue != "" {
		withDefault := *f.Type
		if err := json.Unmarshal([]byte(defaultValue), &withDefault.defaultValue); err != nil {
			return fmt.Errorf("field %s: default %s: %w", name, defaultValue, err)
		}
		if float, ok := withDefault.defaultValue.(float64); ok {
			withDefault.defaultValue = int64(float)
		}
		f.Type = &withDefault
	}
	typ.fields[name] = f
	return nil
}

// parseType returns the type with this notation; keys and set apply to its
// elements.
func (t *table) parseType(notation, keys string, set bool) (*Type, error) {
	name := notation
	switch {
	case keys != "":
		name += " key=" + keys
	case set:
		name += " set"
	}
	if parsed := t.types[name]; parsed != nil {
		return parsed, nil
	}
	typ := &Type{name: name, kind: list, set: set}
	element, isList := strings.CutPrefix(notation, "[]")
	if !isList {
		var isMap bool
		if element, isMap = strings.CutPrefix(notation, "{}"); !isMap {
			return t.typeNamed(notation)
		}
		typ.kind = object
	}
	if keys != "" {
		typ.keys = strings.Split(keys, ",")
	}
	var err error
	if typ.element, err = t.parseType(element, "", false); err != nil {
		return nil, err
	}
	t.types[name] = typ
	return typ, nil
}
