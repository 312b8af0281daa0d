package kinds

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Unlike returns why an object cannot be converted to the Go type of its built-in
// kind, nil if it can: the real server's error for a merged object. Unlike Inspect,
// it accepts numbers that are too large.
func (t *Type) Unlike(content map[string]any) error {
	return fieldType{Type: t}.checkConversion(content)
}

func (s fieldType) checkConversion(value any) error {
	if value == nil {
		return nil
	}
	if s.opaque() {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("error encoding %s to json: %w", s.goType(), err)
		}
		return s.encoding.check(text)
	}
	switch got := goKind(value); s.kind {
	case object:
		return s.checkObject(value, got)
	case list:
		return s.checkList(value, got)
	case text:
		return s.checkText(value, got)
	case number:
		return s.checkNumber(value, got)
	case boolean:
		if got != "bool" {
			return errUnrecognized("bool")
		}
	}
	return nil
}

func (s fieldType) checkObject(value any, got string) error {
	members, ok := value.(map[string]any)
	switch {
	case !ok && s.fields == nil:
		return fmt.Errorf("cannot restore map from %s", got)
	case !ok:
		return fmt.Errorf("cannot restore struct from: %s", got)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if member := s.memberType(name); member.Type != nil {
			if err := member.checkConversion(members[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s fieldType) checkList(value any, got string) error {
	elements, ok := value.([]any)
	if !ok {
		return fmt.Errorf("cannot restore slice from %s", got)
	}
	part := s.elementType()
	for _, element := range elements {
		if err := part.checkConversion(element); err != nil {
			return err
		}
	}
	return nil
}

func (s fieldType) checkText(value any, got string) error {
	content, ok := value.(string)
	switch {
	case s.isBytes() && !ok:
		return s.checkList(value, got)
	case s.isBytes():
		if err := checkBase64(content); err != nil {
			return fmt.Errorf("error decoding from json: %w", err)
		}
		return nil
	case got == "int64": // Go can convert an integer to a string
		return fmt.Errorf("cannot convert int64 to %s", s.goType())
	case !ok:
		return errUnrecognized("string")
	}
	return nil
}

func (s fieldType) checkNumber(value any, got string) error {
	switch value := value.(type) {
	case int64:
		return nil
	case float64:
		if s.name != "float64" && value != math.Trunc(value) {
			return fmt.Errorf("cannot convert %s to %s", got, s.goType())
		}
		return nil
	}
	return errUnrecognized(s.name)
}

// errUnrecognized returns the error for a kind of Go that no other kind converts
// to.
func errUnrecognized(kind string) error { return fmt.Errorf("unrecognized type: %s", kind) }

// goKind returns the Go kind of a value.
func goKind(value any) string {
	switch value.(type) {
	case map[string]any:
		return "map"
	case []any:
		return "slice"
	}
	return fmt.Sprintf("%T", value)
}
