package pbobj

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
)

// Schema is which fields messages of one Go type may have, as the tags say that
// generated code leaves on its structs. It is compiled once, never changes, and
// is for any number of goroutines.
//
// Generated Unmarshal passes over fields that it does not know without a word,
// and goes as deep as the bytes do. A Schema notices the first and bounds the
// second.
type Schema struct {
	root      *message
	recursive bool
}

// message is the fields of one struct type by their numbers; nil where there is
// none.
type message struct {
	fields []*messageField
}

type messageField struct {
	name string
	// inner is what the content is a message of; nil where that is no matter.
	inner *message
	// entries is set for a map: the content is {1: key, 2: inner}.
	entries bool
}

// maxFieldNumber is the highest number that is kept account of. Those of
// Kubernetes are far below.
const maxFieldNumber = 4095

// NewSchema compiles the schema of a struct type, or returns nil if the type's
// tags do not tell.
func NewSchema(t reflect.Type) *Schema {
	c := schemaCompiler{known: map[reflect.Type]*message{}, open: map[reflect.Type]bool{}}
	root := c.message(t)
	if root == nil {
		return nil
	}
	return &Schema{root: root, recursive: c.recursive}
}

// Recursive says whether messages may contain messages of their own type, so
// that how deep they nest is for the bytes to say.
func (s *Schema) Recursive() bool { return s.recursive }

// Unknown is the path of the first field in a message that the Go type does not
// have, such as "spec, field 41", "" if there is none: only the path's
// beginning has a name. managedFields are not looked into. The error says that
// messages nest deeper than maxDepth. Bytes that make no sense are left for
// Unmarshal to judge.
func (s *Schema) Unknown(object []byte, maxDepth int) (path string, err error) {
	return s.root.unknown(object, maxDepth)
}

func (m *message) unknown(data []byte, maxDepth int) (path string, err error) {
	if maxDepth <= 0 {
		return "", errors.New("protobuf messages nest too deep")
	}
	for len(data) > 0 {
		number, content, rest, ok := step(data)
		if !ok {
			return path, nil
		}
		data = rest
		if number >= len(m.fields) || m.fields[number] == nil {
			if path == "" {
				path = "field " + strconv.Itoa(number)
			}
			continue
		}
		field := m.fields[number]
		if field.inner == nil || content == nil {
			continue
		}
		if field.entries {
			content = entryValue(content)
		}
		inner, err := field.inner.unknown(content, maxDepth-1)
		if err != nil {
			return "", err
		}
		if inner != "" && path == "" {
			path = field.name + separator(inner) + inner
		}
	}
	return path, nil
}

// step is Next for a walk through every field of an object, most of which are a
// few bytes with a low number. The content is nil of a field that is not of
// bytes.
func step(data []byte) (number int, content, rest []byte, ok bool) {
	if len(data) >= 2 && data[0]&0x87 == byte(Bytes) && data[0] > byte(Bytes) {
		if end := 2 + int(data[1]); end < 2+0x80 && end <= len(data) {
			return int(data[0] >> 3), data[2:end], data[end:], true
		}
	}
	h, content, n, err := Next(data)
	if err != nil {
		return 0, nil, nil, false
	}
	if h.Wire != Bytes {
		content = nil
	}
	return h.Number, content, data[n:], true
}

func separator(inner string) string {
	if strings.HasPrefix(inner, "field ") {
		return ", "
	}
	return "."
}

func entryValue(entry []byte) (value []byte) {
	eachField(entry, func(number int, content []byte) {
		if number == 2 {
			value = content
		}
	})
	return value
}

type schemaCompiler struct {
	known map[reflect.Type]*message
	// open are the types that are being compiled: to meet one again is to have
	// found that it contains itself.
	open      map[reflect.Type]bool
	recursive bool
}

// message compiles a struct type; nil is one whose tags do not tell.
func (c *schemaCompiler) message(t reflect.Type) *message {
	if c.open[t] {
		c.recursive = true
	}
	if known, ok := c.known[t]; ok {
		return known
	}
	m := &message{}
	c.known[t], c.open[t] = m, true
	for i := range t.NumField() {
		if number, name := fieldTag(t.Field(i)); number > 0 {
			for len(m.fields) <= number {
				m.fields = append(m.fields, nil)
			}
			m.fields[number] = c.field(t.Field(i).Type, name)
		}
	}
	c.open[t] = false
	if m.fields == nil {
		m = nil
		c.known[t] = nil
	}
	return m
}

// fieldTag reads a tag like protobuf:"bytes,1,opt,name=metadata".
func fieldTag(field reflect.StructField) (number int, name string) {
	parts := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return 0, ""
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil || number < 1 || number > maxFieldNumber {
		return 0, ""
	}
	name = field.Name
	for _, part := range parts[2:] {
		if is, ok := strings.CutPrefix(part, "name="); ok {
			name = is
		}
	}
	return number, name
}

func (c *schemaCompiler) field(t reflect.Type, name string) *messageField {
	f := &messageField{name: name}
	if name == "managedFields" {
		return f
	}
	if t.Kind() == reflect.Map {
		f.entries, t = true, t.Elem()
	}
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		f.inner = c.message(t)
	}
	return f
}
