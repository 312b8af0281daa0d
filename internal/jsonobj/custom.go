package jsonobj

import (
	"encoding"
	"encoding/json"
	"reflect"
	"unsafe"

	"github.com/thinformer/thinformer/internal/quantity"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// customValue decodes values that need their own raw bytes, null included.
func (d *Decoder) customValue(n *node, dst unsafe.Pointer, i int) int {
	switch n.mode {
	case asTime, asMicroTime:
		if t, end, ok := timeAt(d.data, i, n.mode == asMicroTime); ok {
			// Both types have a time.Time as their only field.
			(*metav1.Time)(dst).Time = t
			return end
		}
	case asQuantity:
		if end, ok := d.quantity(dst, i); ok {
			return end
		}
	case asIntOrString:
		if end, ok := d.intOrString(dst, i); ok {
			return end
		}
	case asText:
		return d.textUnmarshaler(n, dst, i)
	case asNumber:
		return d.jsonNumber(dst, i)
	}
	raw, end := d.raw(i)
	if end < 0 {
		return -1
	}
	if !d.takeCustomMemory(n, raw) {
		return d.failMemory(i, n.typ.String())
	}
	if err := d.unmarshal(n, dst, raw); err != nil {
		return d.fail(&ValueError{Offset: i, Want: n.typ.String(), Got: KindOf(raw[0]).String(), Err: err})
	}
	return end
}

// raw returns the checked raw bytes of the value at i, and the offset after it.
func (d *Decoder) raw(i int) ([]byte, int) {
	end, err := validate(d.data, i, d.depth)
	if err == errDeep {
		return nil, d.tooDeep(i)
	}
	if err != nil {
		return nil, d.fail(err)
	}
	return d.data[i:end:end], end
}

// unmarshal decodes the raw bytes of a value by its own method, or as encoding/json
// would.
func (d *Decoder) unmarshal(n *node, dst unsafe.Pointer, raw []byte) error {
	switch n.mode {
	case asQuantity:
		if err := quantity.Check(raw); err != nil {
			return err
		}
	case asRaw:
		*(*json.RawMessage)(dst) = append(json.RawMessage(nil), raw...)
		return nil
	case asFieldsV1:
		if raw[0] != 'n' {
			(*metav1.FieldsV1)(dst).SetRawBytes(raw)
		}
		return nil
	case asRawExtension:
		if raw[0] != 'n' {
			(*runtime.RawExtension)(dst).Raw = append([]byte(nil), raw...)
		}
		return nil
	case asQuoted:
		wrapper := reflect.New(n.wrapped)
		value := reflect.NewAt(n.typ, dst).Elem()
		wrapper.Elem().Field(0).Set(value)
		document := append(append([]byte(`{"F":`), raw...), '}')
		err := utiljson.Unmarshal(document, wrapper.Interface())
		value.Set(wrapper.Elem().Field(0))
		return err
	}
	return reflect.NewAt(n.typ, dst).Interface().(json.Unmarshaler).UnmarshalJSON(raw)
}

func (d *Decoder) textUnmarshaler(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '"' {
		return d.typeMismatch(i, n.typ.String())
	}
	text, end := d.textAt(i)
	if end < 0 {
		return -1
	}
	if err := reflect.NewAt(n.typ, dst).Interface().(encoding.TextUnmarshaler).UnmarshalText(text); err != nil {
		return d.fail(&ValueError{Offset: i, Want: n.typ.String(), Got: "a string", Err: err})
	}
	return end
}

// jsonNumber decodes a json.Number, from a number or from a string with a number.
func (d *Decoder) jsonNumber(dst unsafe.Pointer, i int) int {
	switch KindOf(d.data[i]) {
	case Number:
		end, _, err := number(d.data, i)
		if err != nil {
			return d.fail(err)
		}
		*(*string)(dst) = string(d.data[i:end])
		return end
	case Text:
		text, end := d.textAt(i)
		if end < 0 {
			return -1
		}
		// The added blank ends the number, so the number must end there.
		probe := append(text[:len(text):len(text)], ' ')
		if last, _, err := number(probe, 0); err != nil || last != len(text) {
			return d.fail(&ValueError{Offset: i, Want: "json.Number", Got: "a string that is no number"})
		}
		*(*string)(dst) = string(text)
		return end
	}
	return d.typeMismatch(i, "json.Number")
}
