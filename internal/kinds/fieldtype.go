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

// fieldType is the type of a value of a built-in kind, together with the
// properties of the field that contains it.
type fieldType struct {
	*Type
	encoding encoding
	// goTypeOverride is the Go type, "" if goType can derive it.
	goTypeOverride string
}

// fieldType returns the type of an object's member. Its Type is nil if the object
// has no such member.
func (t *Type) fieldType(name string) fieldType {
	if field := t.fields[name]; field != nil {
		return field.fieldType()
	}
	return fieldType{Type: t.element}
}

func (f *field) fieldType() fieldType { return fieldType{f.Type, f.encoding, f.goType} }

// memberType returns the type of an object's member.
func (s fieldType) memberType(name string) fieldType {
	if s.fields == nil {
		return s.elementType()
	}
	return s.fieldType(name)
}

// byteType is the element type of bytes. In JSON, bytes are a base64 string or a
// list of numbers.
var byteType = &Type{name: "uint8", kind: number}

func (s fieldType) isBytes() bool { return s.kind == text && s.encoding == encodingBytes }

// elementType returns the type of a list's elements, or of a map's values.
func (s fieldType) elementType() fieldType {
	if s.isBytes() {
		return fieldType{Type: byteType}
	}
	element := fieldType{Type: s.element, encoding: s.encoding}
	if before, goType, ok := strings.Cut(s.goTypeOverride, "]"); ok && (before == "[" || strings.HasPrefix(before, "map[")) {
		element.goTypeOverride = strings.TrimPrefix(goType, "*")
	}
	return element
}

// opaque reports whether the Go type itself decodes the value, or the value is
// not examined.
func (s fieldType) opaque() bool {
	switch s.kind {
	case scalar, raw, anything:
		return true
	}
	return s.kind == object && s.preserveUnknown
}

// acceptsComposite reports whether the value may be any object or list.
func (s fieldType) acceptsComposite() bool {
	return s.opaque() && s.kind != scalar && s.encoding != encodingIntOrString
}

// goType returns the name of the value's Go type.
func (s fieldType) goType() string {
	if s.goTypeOverride != "" {
		return s.goTypeOverride
	}
	switch {
	case s.kind == text, s.kind == number, s.kind == boolean:
		return s.name
	case s.encoding == encodingQuantity && s.kind == scalar:
		return "resource.Quantity"
	case s.kind == list:
		return "[]" + s.elementType().goType()
	case s.kind == object && s.fields == nil:
		return "map[string]" + s.elementType().goType()
	}
	return "v1." + s.structName()
}

// structName returns the name of a struct in its Go package.
func (t *Type) structName() string {
	_, name, _ := strings.Cut(t.name, ".")
	return name
}

// matches reports whether a value that is neither an object nor a list has this
// type.
func (s fieldType) matches(value any) bool {
	if s.kind == scalar || s.kind == anything && s.encoding == encodingIntOrString {
		return s.encoding.matches(value)
	}
	switch value := value.(type) {
	case nil:
		return true
	case string:
		if s.isBytes() {
			return checkBase64(value) == nil
		}
		return s.kind == text || s.opaque()
	case bool:
		return s.kind == boolean || s.opaque()
	case int64:
		return s.kind == number && (s.name != "int32" || value == int64(int32(value))) || s.opaque()
	case float64:
		return s.kind == number && s.name == "float64" || s.opaque()
	}
	return false
}

// matches is for encodings with Go types of their own. It accepts common values
// itself and calls the Go type for the others.
func (f encoding) matches(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		switch f {
		case encodingIntOrString:
			return true
		case encodingQuantity:
			if isPlainQuantity(value) {
				return true
			}
		case encodingTime:
			_, err := time.Parse(time.RFC3339, value)
			return err == nil
		}
	case int64:
		if f == encodingIntOrString || f == encodingQuantity {
			return math.MinInt32 <= value && value <= math.MaxInt32
		}
	}
	text, err := json.Marshal(value)
	return err == nil && f.check(text) == nil
}

// check decodes the text by the Go type of this encoding and returns its error.
// Other encodings are not checked.
func (f encoding) check(text []byte) error {
	switch f {
	case encodingQuantity:
		if err := quantity.Check(text); err != nil {
			return err
		}
		return new(resource.Quantity).UnmarshalJSON(text)
	case encodingTime:
		return new(metav1.Time).UnmarshalJSON(text)
	case encodingMicroTime:
		return new(metav1.MicroTime).UnmarshalJSON(text)
	case encodingIntOrString:
		return new(intstr.IntOrString).UnmarshalJSON(text)
	}
	return nil
}

func checkBase64(value string) error {
	_, err := base64.StdEncoding.DecodeString(value)
	return err
}

// isPlainQuantity reports whether text is digits followed by a unit, as most
// quantities are. It avoids parsing.
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
