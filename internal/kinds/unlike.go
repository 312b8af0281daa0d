package kinds

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Unlike is why an object cannot be made the Go type of its built-in kind, nil
// if it can: what the real server says of objects that it has merged. It takes
// numbers that are too great, which Inspect does not.
func (t *Type) Unlike(content map[string]any) error { return slot{Type: t}.unlike(content) }

func (s slot) unlike(value any) error {
	if value == nil {
		return nil
	}
	if s.closed() {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("error encoding %s to json: %w", s.goType(), err)
		}
		return s.form.check(text)
	}
	switch got := kindOf(value); s.sort {
	case object:
		return s.unlikeObject(value, got)
	case list:
		return s.unlikeList(value, got)
	case text:
		return s.unlikeText(value, got)
	case number:
		return s.unlikeNumber(value, got)
	case boolean:
		if got != "bool" {
			return errUnrecognized("bool")
		}
	}
	return nil
}

func (s slot) unlikeObject(value any, got string) error {
	members, ok := value.(map[string]any)
	switch {
	case !ok && s.fields == nil:
		return fmt.Errorf("cannot restore map from %s", got)
	case !ok:
		return fmt.Errorf("cannot restore struct from: %s", got)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if member := s.member(name); member.Type != nil {
			if err := member.unlike(members[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s slot) unlikeList(value any, got string) error {
	elements, ok := value.([]any)
	if !ok {
		return fmt.Errorf("cannot restore slice from %s", got)
	}
	part := s.part()
	for _, element := range elements {
		if err := part.unlike(element); err != nil {
			return err
		}
	}
	return nil
}

func (s slot) unlikeText(value any, got string) error {
	content, ok := value.(string)
	switch {
	case s.isBytes() && !ok:
		return s.unlikeList(value, got)
	case s.isBytes():
		if err := checkBase64(content); err != nil {
			return fmt.Errorf("error decoding from json: %w", err)
		}
		return nil
	case got == "int64": // Go can make a text of one
		return fmt.Errorf("cannot convert int64 to %s", s.goType())
	case !ok:
		return errUnrecognized("string")
	}
	return nil
}

func (s slot) unlikeNumber(value any, got string) error {
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

// errUnrecognized is what is said of a kind of Go that nothing else converts
// to.
func errUnrecognized(kind string) error { return fmt.Errorf("unrecognized type: %s", kind) }

// kindOf a value in Go's words.
func kindOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "map"
	case []any:
		return "slice"
	}
	return fmt.Sprintf("%T", value)
}
