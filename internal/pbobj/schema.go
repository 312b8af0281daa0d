package pbobj

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/internal/quantity"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Schema has the fields that messages of one Go type may have, taken from the struct
// tags of generated code. It is compiled once, immutable, and safe for concurrent
// use.
//
// Generated Unmarshal ignores unknown fields silently, recurses without limit,
// allocates a whole struct for two bytes, and parses any quantity. A Schema detects
// unknown fields, bounds depth and memory, and rejects quantities that would be
// expensive to parse.
type Schema struct {
	root *message
}

// message has the fields of one struct type, by number.
type message struct {
	fields []messageField
	// quantity is set for a resource.Quantity, whose field 1 is its text.
	quantity bool
}

type messageField struct {
	// known is set if the type has a field of that number.
	known bool
	// name is "" for the key and the value of a map entry, which is a message of these
	// two fields.
	name string
	// inner is the message type of the content; nil if it need not be examined.
	inner *message
	// size is the memory that a field takes besides its content; for a packed field,
	// the memory for each byte.
	size   int64
	packed bool
}

// maxFieldNumber is the highest field number of a schema. The field numbers of
// Kubernetes are far below it.
const maxFieldNumber = 4095

// NewSchema compiles the schema of a struct type. It returns nil if the type has no
// protobuf tags.
func NewSchema(t reflect.Type) *Schema {
	c := schemaCompiler{known: map[reflect.Type]*message{}}
	root := c.message(t)
	if root == nil {
		return nil
	}
	return &Schema{root: root}
}

// Unknown returns the path of the first field in a message that the Go type does not
// have, such as "spec, field 41", or "" if there is none; only known parents have a
// name. It does not examine managedFields. It returns an error if messages nest deeper
// than maxDepth, if the object would take more memory than maxMemory, if a quantity is
// rejected, or if the bytes are invalid; the object must not be passed to Unmarshal
// then.
//
// status is the path of the first unknown field in "status" or "metadata".
func (s *Schema) Unknown(object []byte, maxDepth int, maxMemory int64) (path, status string, err error) {
	left := maxMemory
	path, err = s.root.findUnknown(object, maxDepth, &left, &status)
	if tooMuch, ok := err.(*MemoryError); ok {
		tooMuch.Most = maxMemory
	}
	return path, status, err
}

// findUnknown examines a message. left is the memory that the object may still take.
// status is nil for nested messages.
func (m *message) findUnknown(data []byte, maxDepth int, left *int64, status *string) (path string, err error) {
	if maxDepth <= 0 {
		return "", errors.New("protobuf messages nest too deep")
	}
	for len(data) > 0 {
		var number int
		var content []byte
		// Nearly all fields have a number of one byte, and a length or value of one
		// byte. They are parsed here, without a call.
		short := len(data) >= 2 && data[0] >= 1<<3 && data[0] < 0x80 && data[1] < 0x80
		switch {
		case short && Wire(data[0]&7) == Bytes && int(data[1]) <= len(data)-2:
			end := 2 + int(data[1])
			number, content, data = int(data[0]>>3), data[2:end], data[end:]
		case short && Wire(data[0]&7) == Varint:
			number, data = int(data[0]>>3), data[2:]
		default:
			if number, content, data, err = nextField(data); err != nil {
				return "", err
			}
		}
		if number >= len(m.fields) || !m.fields[number].known {
			if path == "" {
				path = "field " + strconv.Itoa(number)
			}
			continue
		}
		field := &m.fields[number]
		if field.size > 0 && !field.reserve(content, left) {
			return "", &MemoryError{Path: field.name}
		}
		if content == nil {
			continue
		}
		if field.inner != nil {
			inner, err := field.inner.findUnknown(content, maxDepth-1, left, nil)
			if err != nil {
				return "", prefixPath(field.name, err)
			}
			inStatus := status != nil && *status == "" && (field.name == "status" || field.name == "metadata")
			if inner != "" && (path == "" || inStatus) {
				inner = field.name + separator(field.name, inner) + inner
				if path == "" {
					path = inner
				}
				if inStatus {
					*status = inner
				}
			}
		} else if m.quantity {
			if err := quantity.Check(content); err != nil {
				return "", err
			}
		}
	}
	return path, nil
}

// nextField is like Next, but faster for fields with a number and a length of at most
// two bytes, as most fields have. The content is nil if the field is not
// length-delimited.
func nextField(data []byte) (number int, content, rest []byte, err error) {
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
		const more = 0x80 << 7 // set in a number whose second byte is not the last
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
}

// message compiles a struct type. It returns nil for a type without protobuf tags.
func (c *schemaCompiler) message(t reflect.Type) *message {
	if isQuantity(t) {
		return &message{quantity: true, fields: []messageField{{}, {known: true}}}
	}
	if known, ok := c.known[t]; ok {
		return known
	}
	m := &message{}
	c.known[t] = m
	for i := range t.NumField() {
		if number, name := fieldTag(t.Field(i)); number > 0 {
			for len(m.fields) <= number {
				m.fields = append(m.fields, messageField{})
			}
			m.fields[number] = c.field(t.Field(i).Type, name)
		}
	}
	if m.fields == nil {
		m = nil
		c.known[t] = nil
	}
	return m
}

// fieldTag parses a tag such as protobuf:"bytes,1,opt,name=metadata".
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
		if value, ok := strings.CutPrefix(part, "name="); ok {
			name = value
		}
	}
	return number, name
}

func (c *schemaCompiler) field(t reflect.Type, name string) messageField {
	f := messageField{known: true, name: name}
	f.size, f.packed = elementSize(t)
	if name == "managedFields" {
		return f
	}
	if t.Kind() == reflect.Map {
		key := messageField{known: true}
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

// isQuantity reports whether t is a quantity type. These types have no tags, but their own
// Unmarshal.
func isQuantity(t reflect.Type) bool {
	return t == reflect.TypeFor[resource.Quantity]() || t == reflect.TypeFor[resource.QuantityValue]()
}
