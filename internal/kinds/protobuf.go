package kinds

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// maxMessageDepth is the maximum nesting of messages. Among the built-in kinds,
// only schemas are recursive.
const maxMessageDepth = 500

// FromProtobuf decodes an object of a built-in kind. The result equals the JSON of
// its Go type after decoding the same message. Fields that are not in the table are
// dropped. The error of a truncated message wraps pbobj.ErrShort. If tick is not
// nil, it is called from time to time, and may panic to stop the work.
func FromProtobuf(kind schema.GroupVersionKind, raw []byte, tick func()) (map[string]any, error) {
	typ := TypeOf(kind)
	if typ == nil {
		return nil, fmt.Errorf("no kind %q is known in version %q", kind.Kind, kind.GroupVersion())
	}
	result := typ.empty()
	if err := messages()[typ].read(result, raw, nesting{maxMessageDepth, tick}); err != nil {
		return nil, err
	}
	result["apiVersion"], result["kind"] = kind.ToAPIVersionAndKind()
	return result, nil
}

// nesting is the number of levels that messages may still nest, and the function
// that is called for each field.
type nesting struct {
	left int
	tick func()
}

func (w nesting) deeper() nesting {
	w.left--
	return w
}

// read decodes the fields of a message into an object.
func (m *message) read(object map[string]any, data []byte, depth nesting) error {
	if depth.left == 0 {
		return errors.New("messages nest too deeply")
	}
	for len(data) > 0 {
		if depth.tick != nil {
			depth.tick()
		}
		h, content, n, err := pbobj.Next(data)
		if err != nil {
			return err
		}
		data = data[n:]
		part := m.fields[h.Number]
		switch {
		case part == nil:
		case part.inline != nil:
			if h.Wire != pbobj.Bytes {
				return fmt.Errorf("field %d is not a message", h.Number)
			}
			err = part.inline.read(object, content, depth.deeper())
		default:
			if err = part.addTo(object, h, content, depth.deeper()); err != nil {
				err = fmt.Errorf("%s: %w", part.name, err)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addTo adds a value to the field of target: as the field's value, as an element of
// its list, or as an entry of its map.
func (p *messageField) addTo(target map[string]any, h pbobj.Header, content []byte, depth nesting) error {
	typ := p.field.Type
	switch {
	case typ.kind == list:
		elements, _ := target[p.name].([]any)
		if packed := h.Wire == pbobj.Bytes && (typ.element.kind == number || typ.element.kind == boolean); packed {
			return errors.New("packed encoding is not supported")
		}
		value, err := p.value(typ.element, h, content, depth)
		if err != nil {
			return err
		}
		target[p.name] = append(elements, value)
	case typ.kind == object && typ.fields == nil && typ.element != nil && p.encoding != encodingJSON:
		if h.Wire != pbobj.Bytes {
			return errors.New("map entry is not a message")
		}
		key, value, err := p.entry(typ.element, content, depth)
		if err != nil {
			return err
		}
		entries, _ := target[p.name].(map[string]any)
		if entries == nil {
			entries = map[string]any{}
			target[p.name] = entries
		}
		entries[key] = value
	default:
		value, err := p.value(typ, h, content, depth)
		if err != nil {
			return err
		}
		if !p.optional && !p.field.alwaysEncoded && isZero(value) {
			delete(target, p.name)
			return nil
		}
		target[p.name] = value
	}
	return nil
}

// entry decodes an entry of a map: a message with the key in field 1 and the value
// in field 2.
func (p *messageField) entry(typ *Type, data []byte, depth nesting) (key string, value any, err error) {
	absent := pbobj.Header{Wire: pbobj.Bytes}
	if typ.kind == number || typ.kind == boolean {
		absent.Wire = pbobj.Varint
	}
	value, err = p.value(typ, absent, nil, depth)
	for err == nil && len(data) > 0 {
		h, content, n, nextErr := pbobj.Next(data)
		if nextErr != nil {
			return "", nil, nextErr
		}
		data = data[n:]
		switch {
		case h.Number == 1 && h.Wire == pbobj.Bytes:
			key = validUTF8(content)
		case h.Number == 2:
			value, err = p.value(typ, h, content, depth)
		}
	}
	return key, value, err
}

// value decodes a value of a type.
func (p *messageField) value(typ *Type, h pbobj.Header, content []byte, depth nesting) (any, error) {
	switch typ.kind {
	case number, boolean:
		return numeric(typ.kind, h, content)
	case list: // a list of lists has an encoding of its own
		return nil, errors.New("nested lists are not supported")
	}
	if h.Wire != pbobj.Bytes {
		return nil, errors.New("unexpected number")
	}
	if p.encoding != "" {
		return p.encoding.read(content, depth)
	}
	switch {
	case typ.kind == text:
		return validUTF8(content), nil
	case typ.fields != nil:
		result := typ.empty()
		return result, messages()[typ].read(result, content, depth)
	}
	return nil, fmt.Errorf("the table does not define the encoding of a %s", typ.name)
}

func numeric(kind valueKind, h pbobj.Header, content []byte) (any, error) {
	switch {
	case h.Wire == pbobj.Varint && kind == boolean:
		return h.Value != 0, nil
	case h.Wire == pbobj.Varint:
		return int64(h.Value), nil
	case h.Wire == pbobj.Fixed64 && kind == number:
		var bits uint64
		for i, b := range content {
			bits |= uint64(b) << (8 * i)
		}
		return jsonNumber(math.Float64frombits(bits))
	}
	return nil, errors.New("expected a number")
}

// jsonNumber returns a number as a JSON decoder would.
func jsonNumber(float float64) (any, error) {
	if math.IsNaN(float) || math.IsInf(float, 0) {
		return nil, fmt.Errorf("%v cannot be encoded in JSON", float)
	}
	if float == math.Trunc(float) && math.Abs(float) < 1<<53 {
		return int64(float), nil
	}
	return float, nil
}

func validUTF8(text []byte) string { return strings.ToValidUTF8(string(text), "\ufffd") }

// isZero reports whether JSON omits the value of a field that is not a pointer.
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
