package jsonobj

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"
)

// structValue decodes an object into a struct.
func (d *Decoder) structValue(n *node, dst unsafe.Pointer, i int) int {
	data := d.data
	if data[i] != '{' {
		return d.typeMismatch(i, n.typ.String())
	}
	i, done := d.openContainer(i, '}')
	for !done && i >= 0 {
		begin := i
		var f *field
		if f, i = d.fieldAt(n.fields, i); i < 0 {
			return -1
		}
		if i = d.fieldValue(f, dst, begin, i); i < 0 {
			return -1
		}
		if i+1 < len(data) && data[i] == ',' && data[i+1] == '"' {
			i++
			continue
		}
		i, done = d.nextElement(i, '}')
	}
	return i
}

// fieldAt reads the key at i. It returns its field, nil if there is none, and the
// offset of the value.
func (d *Decoder) fieldAt(fs *fields, i int) (*field, int) {
	data := d.data
	if i+9 <= len(data) && data[i] == '"' {
		w := binary.LittleEndian.Uint64(data[i+1:])
		k := key{w, 8}
		if m := firstSpecial(w); m != 0 {
			k.length = bits.TrailingZeros64(m) >> 3
			k.head &= 1<<(8*k.length) - 1
		} else {
			k.length = plainEnd(data, i+9) - (i + 1)
		}
		if end := i + 1 + k.length; end < len(data) && data[end] == '"' {
			f := fs.find(k, data[i+1:end])
			if end+1 < len(data) && data[end+1] == ':' {
				if end += 2; end < len(data) && data[end] > ' ' {
					return f, end
				}
				return f, space(data, end)
			}
			return f, d.skipColon(end + 1)
		}
	}
	name, i := d.keyAt(i)
	if i < 0 {
		return nil, -1
	}
	return fs.find(keyOf(name), name), i
}

// fieldValue decodes the value at i into field f of the struct at dst; begin is
// the offset of its key.
func (d *Decoder) fieldValue(f *field, dst unsafe.Pointer, begin, i int) int {
	d.offsets[d.depth] = begin
	if f == nil {
		if !d.dropped || !d.statusDropped {
			d.recordDropped()
		}
		return d.skip(i)
	}
	if f.mark != noMark {
		if f.mark == managedFieldsMark && !d.KeepManagedFields {
			return d.skip(i)
		}
		if f.mark != managedFieldsMark && d.Expected != nil {
			if i = d.checkTypeName(f.mark, i); i < 0 {
				return -1
			}
		}
		if f.node.mode == asUnknown {
			return d.fieldValue(nil, dst, begin, i)
		}
	}
	if f.through != nil {
		var err error
		if dst, err = f.followEmbedded(dst); err != nil {
			return d.fail(&ValueError{Offset: i, Want: f.node.typ.String(), Got: "a value", Err: err})
		}
	}
	return d.value(f.node, unsafe.Add(dst, f.offset), i)
}

// followEmbedded follows the embedded pointers to the struct that has the field, and
// allocates those that are nil.
func (f *field) followEmbedded(dst unsafe.Pointer) (unsafe.Pointer, error) {
	for _, e := range f.through {
		p := (*unsafe.Pointer)(unsafe.Add(dst, e.offset))
		if *p == nil {
			if e.unexported {
				return nil, fmt.Errorf("cannot set an embedded pointer to %v, which is not exported", e.elem)
			}
			*p = reflect.New(e.elem).UnsafePointer()
		}
		dst = *p
	}
	return dst, nil
}

// skipColon skips the colon after a key and the white space around it.
func (d *Decoder) skipColon(i int) int {
	i = space(d.data, i)
	if i >= len(d.data) {
		return d.failShort()
	}
	if d.data[i] != ':' {
		return d.fail(unexpected(d.data, i, "a colon"))
	}
	return space(d.data, i+1)
}

// openContainer skips the opening bracket at i and the white space after it. If the
// container is empty, done is set and next is the offset after it.
func (d *Decoder) openContainer(i int, closing byte) (next int, done bool) {
	if d.depth == 0 {
		return d.tooDeep(i), false
	}
	i = space(d.data, i+1)
	if i >= len(d.data) {
		return d.failShort(), false
	}
	if d.data[i] == closing {
		return i + 1, true
	}
	d.depth--
	return i, false
}

// nextElement skips the comma after an element, with next at the next element, or the
// closing bracket, with done set and next after it.
func (d *Decoder) nextElement(i int, closing byte) (next int, done bool) {
	data := d.data
	if i = space(data, i); i >= len(data) {
		return d.failShort(), false
	}
	switch data[i] {
	case ',':
		if i = space(data, i+1); i >= len(data) {
			return d.failShort(), false
		}
		return i, false
	case closing:
		d.depth++
		return i + 1, true
	}
	return d.fail(unexpected(data, i, "a comma or the end")), false
}
