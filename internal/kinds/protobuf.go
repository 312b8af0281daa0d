package kinds

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// deepest is how far messages may lie in each other. Objects of built-in kinds
// are recursive only in schemas.
const deepest = 500

// FromProtobuf reads an object of a built-in kind: what the JSON of its Go type
// would be if that had read the message. Fields that are not in the table are
// dropped. A message that ends too soon is pbobj.ErrShort.
func FromProtobuf(kind schema.GroupVersionKind, raw []byte) (map[string]any, error) {
	typ := TypeOf(kind)
	if typ == nil {
		return nil, fmt.Errorf("no kind %q is known in version %q", kind.Kind, kind.GroupVersion())
	}
	made := typ.empty()
	if err := messages()[typ].read(made, raw, deepest); err != nil {
		return nil, err
	}
	made["apiVersion"], made["kind"] = kind.ToAPIVersionAndKind()
	return made, nil
}

// read puts the fields of a message into an object.
func (m *message) read(object map[string]any, data []byte, depth int) error {
	if depth == 0 {
		return errors.New("messages lie too deep in each other")
	}
	for len(data) > 0 {
		h, content, n, err := pbobj.Next(data)
		if err != nil {
			return err
		}
		data = data[n:]
		part := m.parts[h.Number]
		switch {
		case part == nil:
		case part.inline != nil:
			if h.Wire != pbobj.Bytes {
				return fmt.Errorf("field %d is no message", h.Number)
			}
			err = part.inline.read(object, content, depth-1)
		default:
			if err = part.into(object, h, content, depth-1); err != nil {
				err = fmt.Errorf("%s: %w", part.name, err)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// into adds a value to the object's field: the field's own, an element of its
// list, or an entry of its map.
func (p *part) into(made map[string]any, h pbobj.Header, content []byte, depth int) error {
	typ := p.field.Type
	switch {
	case typ.sort == list:
		elements, _ := made[p.name].([]any)
		if packed := h.Wire == pbobj.Bytes && (typ.element.sort == number || typ.element.sort == boolean); packed {
			return errors.New("packed numbers are not known to Kubernetes")
		}
		value, err := p.value(typ.element, h, content, depth)
		if err != nil {
			return err
		}
		made[p.name] = append(elements, value)
	case typ.sort == object && typ.fields == nil && typ.element != nil && p.form != formJSON:
		if h.Wire != pbobj.Bytes {
			return errors.New("an entry of a map is no message")
		}
		key, value, err := p.entry(typ.element, content, depth)
		if err != nil {
			return err
		}
		entries, _ := made[p.name].(map[string]any)
		if entries == nil {
			entries = map[string]any{}
			made[p.name] = entries
		}
		entries[key] = value
	default:
		value, err := p.value(typ, h, content, depth)
		if err != nil {
			return err
		}
		if !p.optional && !p.field.always && isZero(value) {
			delete(made, p.name)
			return nil
		}
		made[p.name] = value
	}
	return nil
}

// entry of a map: a message of a key, 1, and a value, 2.
func (p *part) entry(of *Type, data []byte, depth int) (key string, value any, err error) {
	absent := pbobj.Header{Wire: pbobj.Bytes}
	if of.sort == number || of.sort == boolean {
		absent.Wire = pbobj.Varint
	}
	value, err = p.value(of, absent, nil, depth)
	for err == nil && len(data) > 0 {
		h, content, n, nextErr := pbobj.Next(data)
		if nextErr != nil {
			return "", nil, nextErr
		}
		data = data[n:]
		switch {
		case h.Number == 1 && h.Wire == pbobj.Bytes:
			key = valid(content)
		case h.Number == 2:
			value, err = p.value(of, h, content, depth)
		}
	}
	return key, value, err
}

// value of a type and form.
func (p *part) value(of *Type, h pbobj.Header, content []byte, depth int) (any, error) {
	switch of.sort {
	case number, boolean:
		return numeric(of.sort, h, content)
	case list: // lists of lists come with values of extra kinds only
		return nil, errors.New("a list in a list")
	}
	if h.Wire != pbobj.Bytes {
		return nil, errors.New("it is a number, and should not be")
	}
	if p.form != "" {
		return p.form.read(content, depth)
	}
	switch {
	case of.sort == text:
		return valid(content), nil
	case of.fields != nil:
		made := of.empty()
		return made, messages()[of].read(made, content, depth)
	}
	return nil, fmt.Errorf("the table does not say how a %s is written", of.name)
}

func numeric(as sort, h pbobj.Header, content []byte) (any, error) {
	switch {
	case h.Wire == pbobj.Varint && as == boolean:
		return h.Value != 0, nil
	case h.Wire == pbobj.Varint:
		return int64(h.Value), nil
	case h.Wire == pbobj.Fixed64 && as == number:
		var bits uint64
		for i, b := range content {
			bits |= uint64(b) << (8 * i)
		}
		return whole(math.Float64frombits(bits))
	}
	return nil, errors.New("it is no number")
}

// whole is a number as JSON reads it again.
func whole(float float64) (any, error) {
	if math.IsNaN(float) || math.IsInf(float, 0) {
		return nil, fmt.Errorf("JSON has no %v", float)
	}
	if float == math.Trunc(float) && math.Abs(float) < 1<<53 {
		return int64(float), nil
	}
	return float, nil
}

func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\ufffd") }

// isZero tells of a value that JSON leaves out when it is not a pointer's.
func isZero(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case int64:
		return value == 0
	case float64:
		return value == 0
	case bool:
		return !value
	case map[string]any:
		for _, part := range value {
			if !isZero(part) {
				return false
			}
		}
		return true
	}
	return false
}
