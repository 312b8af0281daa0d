package kinds

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// message maps the fields of a protobuf message to the fields of an object.
type message struct {
	fields map[int]*messageField
}

// messageField is a field of a message: a field of the object, or an inlined
// message whose fields belong to the object as well.
type messageField struct {
	inline *message

	name     string
	field    *field
	encoding encoding
	// optional fields are stored even if they are zero.
	optional bool
}

// messages has the messages of the table's types. They are built for the first
// body in protobuf. It panics if the table is invalid, as mergeTable does.
var messages = sync.OnceValue(func() map[*Type]*message {
	result, err := messagesOf(mergeTable())
	if err != nil {
		panic(err)
	}
	return result
})

func messagesOf(t *table) (map[*Type]*message, error) {
	types, err := t.all()
	if err != nil {
		return nil, err
	}
	result := make(map[*Type]*message, len(types))
	for _, typ := range types {
		if typ.fields == nil {
			continue
		}
		m := &message{fields: make(map[int]*messageField, len(typ.fields))}
		for name, field := range typ.fields {
			if field.protobufPath == "" {
				continue
			}
			if err := m.add(name, field); err != nil {
				return nil, fmt.Errorf("merge table: %s.%s: wire=%s: %w", typ.name, name, field.protobufPath, err)
			}
		}
		result[typ] = m
	}
	return result, nil
}

// add parses a field's position, such as
//
//	2.7!:quantity
func (m *message) add(name string, f *field) error {
	path, _, _ := strings.Cut(f.protobufPath, ":")
	path, optional := strings.CutSuffix(path, "!")
	entry := &messageField{name: name, field: f, encoding: f.encoding, optional: optional}
	if !slices.Contains(allEncodings, entry.encoding) {
		return fmt.Errorf("unknown encoding %q", entry.encoding)
	}
	for {
		first, rest, deeper := strings.Cut(path, ".")
		number, err := strconv.Atoi(first)
		if err != nil {
			return err
		}
		known := m.fields[number]
		switch {
		case !deeper && known == nil:
			m.fields[number] = entry
			return nil
		case deeper && known == nil:
			known = &messageField{inline: &message{fields: map[int]*messageField{}}}
			m.fields[number] = known
		case !deeper || known.inline == nil:
			return errors.New("duplicate field number")
		}
		m, path = known.inline, rest
	}
}
