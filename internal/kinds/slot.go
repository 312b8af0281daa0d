package kinds

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/thinformer/thinformer/internal/quantity"
)

// slot is where a value of a built-in kind stands: its type, and what the field
// says of it that it is a part of.
type slot struct {
	*Type
	form form
	// written is the Go type, "" what one would think.
	written string
}

// slot is that of an object's member; its type is nil if there is none.
func (t *Type) slot(name string) slot {
	if field := t.fields[name]; field != nil {
		return field.slot()
	}
	return slot{Type: t.element}
}

func (f *field) slot() slot { return slot{f.Type, f.form, f.goType} }

// member is the slot of a member of an object.
func (s slot) member(name string) slot {
	if s.fields == nil {
		return s.part()
	}
	return s.slot(name)
}

// octet is what bytes are made of. In JSON they are a text, or a list of these.
var octet = &Type{name: "uint8", sort: number}

func (s slot) isBytes() bool { return s.sort == text && s.form == formBytes }

// part is the slot of a list's elements, or of a map's values.
func (s slot) part() slot {
	if s.isBytes() {
		return slot{Type: octet}
	}
	of := slot{Type: s.element, form: s.form}
	if before, written, ok := strings.Cut(s.written, "]"); ok && (before == "[" || strings.HasPrefix(before, "map[")) {
		of.written = strings.TrimPrefix(written, "*")
	}
	return of
}

// closed values are read by their Go type itself, or are not looked into.
func (s slot) closed() bool {
	switch s.sort {
	case scalar, raw, anything:
		return true
	}
	return s.sort == object && s.preserve
}

// takesAnything is whether objects and lists of any kind may stand here.
func (s slot) takesAnything() bool {
	return s.closed() && s.sort != scalar && s.form != formIntOrString
}

// goType is what Go calls the type of the value.
func (s slot) goType() string {
	if s.written != "" {
		return s.written
	}
	switch {
	case s.sort == text, s.sort == number, s.sort == boolean:
		return s.name
	case s.form == formQuantity && s.sort == scalar:
		return "resource.Quantity"
	case s.sort == list:
		return "[]" + s.part().goType()
	case s.sort == object && s.fields == nil:
		return "map[string]" + s.part().goType()
	}
	return "v1." + s.structName()
}

// structName is what Go calls a struct in its package.
func (t *Type) structName() string {
	_, name, _ := strings.Cut(t.name, ".")
	return name
}

// fits tells whether a value that is neither an object nor a list can stand
// here.
func (s slot) fits(value any) bool {
	if s.sort == scalar || s.sort == anything && s.form == formIntOrString {
		return s.form.fits(value)
	}
	switch value := value.(type) {
	case nil:
		return true
	case string:
		if s.isBytes() {
			return checkBase64(value) == nil
		}
		return s.sort == text || s.closed()
	case bool:
		return s.sort == boolean || s.closed()
	case int64:
		return s.sort == number && (s.name != "int32" || value == int64(int32(value))) || s.closed()
	case float64:
		return s.sort == number && s.name == "float64" || s.closed()
	}
	return false
}

// fits is for forms that have Go types of their own. It says yes to what is
// usual, and asks the type about others.
func (f form) fits(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		switch f {
		case formIntOrString:
			return true
		case formQuantity:
			if isPlainQuantity(value) {
				return true
			}
		case formTime:
			_, err := time.Parse(time.RFC3339, value)
			return err == nil
		}
	case int64:
		if f == formIntOrString || f == formQuantity {
			return math.MinInt32 <= value && value <= math.MaxInt32
		}
	}
	text, err := json.Marshal(value)
	return err == nil && f.check(text) == nil
}

// check is what the Go type says that reads this form. Others are not looked
// into.
func (f form) check(text []byte) error {
	switch f {
	case formQuantity:
		if err := quantity.Check(text); err != nil {
			return err
		}
		return new(resource.Quantity).UnmarshalJSON(text)
	case formTime:
		return new(metav1.Time).UnmarshalJSON(text)
	case formMicroTime:
		return new(metav1.MicroTime).UnmarshalJSON(text)
	case formIntOrString:
		return new(intstr.IntOrString).UnmarshalJSON(text)
	}
	return nil
}

func checkBase64(value string) error {
	_, err := base64.StdEncoding.DecodeString(value)
	return err
}

// isPlainQuantity is a look at the letters: a number of digits and a unit, which
// most quantities are.
func isPlainQuantity(text string) bool {
	digits := strings.TrimRight(text, "numkKMGTPEi")
	if len(digits) == 0 || len(digits) > 15 || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	switch text[len(digits):] {
	case "", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti":
		return true
	}
	return false
}
