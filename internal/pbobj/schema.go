package pbobj

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/internal/quantity"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Schema is which fields messages of one Go type may have, as the tags say that
// generated code leaves on its structs. It is compiled once, never changes, and
// is for any number of goroutines.
//
// Generated Unmarshal passes over fields that it does not know without a word,
// goes as deep as the bytes do, and parses whatever quantity it is given. A
// Schema notices the first, bounds the second and refuses those quantities that
// would be costly.
type Schema struct {
	root *message
	// hostile: bytes could be made that are costly to unmarshal.
	hostile bool
}

// message is the fields of one struct type by their numbers.
type message struct {
	fields []messageField
	// quantity: this is a resource.Quantity, whose field 1 is its text.
	quantity bool
}

type messageField struct {
	// there is false where the type has no field of that number.
	there bool
	// name is "" for the key and the value of a map's entry, which is a message
	// of these two.
	name string
	// inner is what the content is a message of; nil where that is no matter.
	inner *message
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
	return &Schema{root: root, hostile: c.hostile}
}

// Hostile says whether bytes could be made that are costly to unmarshal: the
// type has quantities, or messages that may contain messages of their own type,
// so that how deep they nest is for the bytes to say.
func (s *Schema) Hostile() bool { return s.hostile }

// Unknown is the path of the first field in a message that the Go type does not
// have, such as "spec, field 41", "" if there is none: only the path's
// beginning has a name. managedFields are not looked into. The error says that
// messages nest deeper than maxDepth, that a quantity is refused, or that the
// bytes make no sense: what has not been looked at is not for Unmarshal to see.
func (s *Schema) Unknown(object []byte, maxDepth int) (path string, err error) {
	return s.root.unknown(object, maxDepth)
}

func (m *message) unknown(data []byte, maxDepth int) (path string, err error) {
	if maxDepth <= 0 {
		return "", errors.New("protobuf messages nest too deep")
	}
	for len(data) > 0 {
		var number int
		var content []byte
		// Nearly all fields have a number of one byte, and a length or value of
		// one: these are read here, without a call.
		short := len(data) >= 2 && data[0] >= 1<<3 && data[0] < 0x80 && data[1] < 0x80
		switch {
		case short && Wire(data[0]&7) == Bytes && int(data[1]) <= len(data)-2:
			end := 2 + int(data[1])
			number, content, data = int(data[0]>>3), data[2:end], data[end:]
		case short && Wire(data[0]&7) == Varint:
			number, data = int(data[0]>>3), data[2:]
		default:
			if number, content, data, err = step(data); err != nil {
				return "", err
			}
		}
		if number >= len(m.fields) || !m.fields[number].there {
			if path == "" {
				path = "field " + strconv.Itoa(number)
			}
			continue
		}
		if content == nil {
			continue
		}
		if field := &m.fields[number]; field.inner != nil {
			inner, err := field.inner.unknown(content, maxDepth-1)
			if err != nil {
				return "", err
			}
			if inner != "" && path == "" {
				path = field.name + separator(field.name, inner) + inner
			}
		} else if m.quantity {
			if err := quantity.Check(content); err != nil {
				return "", err
			}
		}
	}
	return path, nil
}

// step is Next for a walk through every field of an object, where most that are
// longer have a number and a length of two bytes at most. The content is nil of
// a field that is not of bytes.
func step(data []byte) (number int, content, rest []byte, err error) {
	if len(data) >= 4 {
		tag, n := int(data[0]), 1
		if tag >= 0x80 {
			tag, n = tag&0x7f|int(data[1])<<7, 2
		}
		value := int(data[n])
		n++
		if value >= 0x80 {
			value, n = value&0x7f|int(data[n])<<7, n+1
		}
		const more = 0x80 << 7 // what a second byte that is not the last leaves
		if tag >= 1<<3 && tag < more && value < more {
			switch {
			case Wire(tag&7) == Bytes && value <= len(data)-n:
				return tag >> 3, data[n : n+value], data[n+value:], nil
			case Wire(tag&7) == Varint:
				return tag >> 3, nil, data[n:], nil
			}
		}
	}
	h, content, n, err := Next(data)
	if err != nil {
		return 0, nil, nil, err
	}
	if h.Wire != Bytes {
		content = nil
	}
	return h.Number, content, data[n:], nil
}

func separator(name, inner string) string {
	switch {
	case name == "":
		return ""
	case strings.HasPrefix(inner, "field "):
		return ", "
	}
	return "."
}

type schemaCompiler struct {
	known map[reflect.Type]*message
	// open are the types that are being compiled: to meet one again is to have
	// found that it contains itself.
	open    map[reflect.Type]bool
	hostile bool
}

// message compiles a struct type; nil is one whose tags do not tell.
func (c *schemaCompiler) message(t reflect.Type) *message {
	if isQuantity(t) {
		c.hostile = true
		return &message{quantity: true, fields: []messageField{{}, {there: true}}}
	}
	if c.open[t] {
		c.hostile = true
	}
	if known, ok := c.known[t]; ok {
		return known
	}
	m := &message{}
	c.known[t], c.open[t] = m, true
	for i := range t.NumField() {
		if number, name := fieldTag(t.Field(i)); number > 0 {
			for len(m.fields) <= number {
				m.fields = append(m.fields, messageField{})
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

func (c *schemaCompiler) field(t reflect.Type, name string) messageField {
	f := messageField{there: true, name: name}
	if name == "managedFields" {
		return f
	}
	if t.Kind() == reflect.Map {
		key := messageField{there: true}
		f.inner = &message{fields: []messageField{{}, key, c.field(t.Elem(), "")}}
		return f
	}
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		f.inner = c.message(t)
	}
	return f
}

// isQuantity: these two have no tags, but their own Unmarshal.
func isQuantity(t reflect.Type) bool {
	return t == reflect.TypeFor[resource.Quantity]() || t == reflect.TypeFor[resource.QuantityValue]()
}
