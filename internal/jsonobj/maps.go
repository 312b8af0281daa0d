package jsonobj

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// mapValue decodes an object into a map of any type. It adds to an existing map, as
// encoding/json does.
func (d *Decoder) mapValue(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '{' {
		return d.typeMismatch(i, n.typ.String())
	}
	i, done := d.openContainer(i, '}')
	if i < 0 {
		return -1
	}
	m := reflect.NewAt(n.typ, dst).Elem()
	if m.IsNil() {
		if !d.takeMemory(mapSize) {
			return d.failMemory(i, n.typ.String())
		}
		m.Set(reflect.MakeMap(n.typ))
	}
	if done {
		return i
	}
	slot := n.typ.Key().Size() + n.elem.typ.Size()
	if !d.takeMemory(minMapSlots * slot) {
		return d.failMemory(i, n.typ.String())
	}
	key, elem := reflect.New(n.typ.Key()), reflect.New(n.elem.typ)
	for !done && i >= 0 {
		if n.mode == asMapMetadata && !d.KeepManagedFields {
			if next, found := d.managedFieldsAt(i); found {
				if i = next; i >= 0 {
					i, done = d.nextElement(i, '}')
				}
				continue
			}
		}
		if !d.takeMemory(slot) {
			return d.failMemory(i, n.typ.String())
		}
		d.offsets[d.depth] = i
		if i = d.mapKey(n, key, i); i < 0 {
			return -1
		}
		if i = d.value(n.elem, elem.UnsafePointer(), i); i < 0 {
			return -1
		}
		m.SetMapIndex(key.Elem(), elem.Elem())
		key.Elem().SetZero()
		elem.Elem().SetZero()
		i, done = d.nextElement(i, '}')
	}
	return i
}

// managedFieldsAt skips the entry at i if its key is managedFields, and reports
// whether it is.
func (d *Decoder) managedFieldsAt(i int) (next int, found bool) {
	name, next := d.keyAt(i)
	if next < 0 {
		return -1, true
	}
	if string(name) != "managedFields" {
		return 0, false
	}
	return d.skip(next), true
}

// mapKey reads the key at i into the value that key points to, and skips the colon.
func (d *Decoder) mapKey(n *node, key reflect.Value, i int) int {
	text, next := d.keyAt(i)
	if next < 0 {
		return -1
	}
	var err error
	switch to := key.Elem(); n.key {
	case asString:
		to.SetString(d.share(text))
	case asInt:
		var v int64
		if v, err = strconv.ParseInt(string(text), 10, to.Type().Bits()); err == nil {
			to.SetInt(v)
		}
	case asUint:
		var v uint64
		if v, err = strconv.ParseUint(string(text), 10, to.Type().Bits()); err == nil {
			to.SetUint(v)
		}
	case asText:
		err = key.Interface().(encoding.TextUnmarshaler).UnmarshalText(text)
	case asUnmarshaler:
		end := afterString(d.data, i+1)
		err = key.Interface().(json.Unmarshaler).UnmarshalJSON(d.data[i:end:end])
	}
	if err != nil {
		// The error's path has the text; the number's error would repeat it.
		if number := (*strconv.NumError)(nil); errors.As(err, &number) {
			err = number.Err
		}
		return d.fail(&ValueError{Offset: i, Want: "the key of a " + n.typ.String(), Got: "a string", Err: err})
	}
	return next
}

func (d *Decoder) stringMap(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '{' {
		return d.typeMismatch(i, n.typ.String())
	}
	i, done := d.openContainer(i, '}')
	begin := len(d.scratch.pairs)
	for !done && i >= 0 {
		var text []byte
		if !d.takeMemory(stringSlot) {
			return d.failMemory(i, n.typ.String())
		}
		if text, i = d.keyAt(i); i < 0 {
			return -1
		}
		name, value := d.share(text), ""
		if i < len(d.data) && d.data[i] == 'n' {
			i = d.null(n.elem, nil, i)
		} else if text, i = d.textAt(i); i >= 0 {
			value = d.share(text)
		}
		if i < 0 {
			return -1
		}
		d.scratch.pairs = append(d.scratch.pairs, name, value)
		i, done = d.nextElement(i, '}')
	}
	if i < 0 {
		return -1
	}
	pairs := d.scratch.pairs[begin:]
	if !d.takeMemory(mapSize + minMapSlots*stringSlot) {
		return d.failMemory(i-1, n.typ.String())
	}
	m := (*map[string]string)(dst)
	if *m == nil {
		*m = make(map[string]string, len(pairs)/2)
	}
	for k := 0; k < len(pairs); k += 2 {
		(*m)[pairs[k]] = pairs[k+1]
	}
	cut(&d.scratch.pairs, begin)
	return i
}

func (d *Decoder) quantityMap(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '{' {
		return d.typeMismatch(i, n.typ.String())
	}
	i, done := d.openContainer(i, '}')
	if i < 0 {
		return -1
	}
	const slot = unsafe.Sizeof("") + unsafe.Sizeof(resource.Quantity{})
	if !d.takeMemory(mapSize + minMapSlots*slot) {
		return d.failMemory(i, n.typ.String())
	}
	m := (*map[string]resource.Quantity)(dst)
	if *m == nil {
		*m = make(map[string]resource.Quantity)
	}
	for !done && i >= 0 {
		var text []byte
		if !d.takeMemory(slot) {
			return d.failMemory(i, n.typ.String())
		}
		if text, i = d.keyAt(i); i < 0 {
			return -1
		}
		name := d.share(text)
		var q resource.Quantity
		if i = d.value(n.elem, unsafe.Pointer(&q), i); i < 0 {
			return -1
		}
		(*m)[name] = q
		i, done = d.nextElement(i, '}')
	}
	return i
}
