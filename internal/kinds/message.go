package kinds

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// message says which field of an object a field of a protobuf message is.
type message struct {
	parts map[int]*part
}

// part is a field of a message: one of the object's, or a message of its own
// whose fields are the object's as well.
type part struct {
	inline *message

	name  string
	field *field
	form  form
	// optional fields count when they are zero, too.
	optional bool
}

// messages of the table's types. They are made when the first body in protobuf
// comes. It panics if the table is broken, as mergeTable does.
var messages = sync.OnceValue(func() map[*Type]*message {
	made, err := messagesOf(mergeTable())
	if err != nil {
		panic(err)
	}
	return made
})

func messagesOf(from *table) (map[*Type]*message, error) {
	types, err := from.all()
	if err != nil {
		return nil, err
	}
	made := make(map[*Type]*message, len(types))
	for _, typ := range types {
		if typ.fields == nil {
			continue
		}
		of := &message{parts: make(map[int]*part, len(typ.fields))}
		for name, field := range typ.fields {
			if field.wire == "" {
				continue
			}
			if err := of.add(name, field); err != nil {
				return nil, fmt.Errorf("merge table: %s.%s: wire=%s: %w", typ.name, name, field.wire, err)
			}
		}
		made[typ] = of
	}
	return made, nil
}

// add reads what the table says of a field's place, such as
//
//	2.7!:quantity
func (m *message) add(name string, of *field) error {
	path, _, _ := strings.Cut(of.wire, ":")
	path, optional := strings.CutSuffix(path, "!")
	made := &part{name: name, field: of, form: of.form, optional: optional}
	if !slices.Contains(allForms, made.form) {
		return fmt.Errorf("unknown form %q", made.form)
	}
	for {
		first, rest, deeper := strings.Cut(path, ".")
		number, err := strconv.Atoi(first)
		if err != nil {
			return err
		}
		known := m.parts[number]
		switch {
		case !deeper && known == nil:
			m.parts[number] = made
			return nil
		case deeper && known == nil:
			known = &part{inline: &message{parts: map[int]*part{}}}
			m.parts[number] = known
		case !deeper || known.inline == nil:
			return errors.New("the number is taken")
		}
		m, path = known.inline, rest
	}
}
