package kinds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
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

// form is how a value is written whose type does not say it.
type form string

// The forms that the table has.
const (
	formBytes           form = "bytes"
	formTime            form = "time"
	formMicroTime       form = "microtime"
	formJSON            form = "json"
	formQuantity        form = "quantity"
	formIntOrString     form = "intorstring"
	formSchemas         form = "schemas"
	formSchemaOrBool    form = "schemaorbool"
	formSchemaOrStrings form = "schemaorstrings"
)

var allForms = []form{
	"", formBytes, formTime, formMicroTime, formJSON, formQuantity, formIntOrString,
	formSchemas, formSchemaOrBool, formSchemaOrStrings,
}

// onWire reads what the table says of a field's place in protobuf, such as
//
//	2.7!:quantity
func (t *Type) onWire(text, name string, of *field) error {
	path, as, _ := strings.Cut(text, ":")
	path, optional := strings.CutSuffix(path, "!")
	made := &part{name: name, field: of, form: form(as), optional: optional}
	if !slices.Contains(allForms, made.form) {
		return fmt.Errorf("unknown form %q", as)
	}
	if t.wire == nil {
		t.wire = &message{parts: map[int]*part{}}
	}
	in := t.wire
	for {
		first, rest, deeper := strings.Cut(path, ".")
		number, err := strconv.Atoi(first)
		if err != nil {
			return fmt.Errorf("wire=%s: %w", text, err)
		}
		known := in.parts[number]
		if !deeper {
			if known != nil {
				return fmt.Errorf("wire=%s: the number is taken", text)
			}
			in.parts[number] = made
			return nil
		}
		if known == nil {
			known = &part{inline: &message{parts: map[int]*part{}}}
			in.parts[number] = known
		}
		if known.inline == nil {
			return fmt.Errorf("wire=%s: the number is taken", text)
		}
		in, path = known.inline, rest
	}
}
