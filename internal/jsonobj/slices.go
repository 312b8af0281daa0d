package jsonobj

import (
	"encoding/base64"
	"reflect"
	"unsafe"
)

// scratch collects elements until their number is known, so that slices have no spare
// capacity.
type scratch struct {
	plan    *Plan       // that slices is for
	slices  []*elements // by the id of the node
	held    uintptr     // bytes in slices
	strings []string
	pairs   []string
	values  []any
	entries []entry
}

// elements collects the elements of the slices of one node.
type elements struct {
	owner *scratch      // nil if the elements are not kept for the next slice
	slice reflect.Value // addressable, of the slice's type
	base  unsafe.Pointer
	cap   int
	busy  bool // in use; a slice of the same type within it uses its own elements
}

// Bounds of the scratch space that is kept for the next value. spare applies to each
// of strings, pairs, values and entries, in elements of a few words; maxHeld applies
// to all slices together, in bytes.
const (
	spare   = 4096
	maxHeld = 256 << 10
)

// release drops the references in the scratch space. Parts that are still in use are
// left over from a failed Decode.
func (s *scratch) release() {
	if s.held > maxHeld {
		clear(s.slices)
		s.held = 0
	}
	cut(&s.strings, 0)
	cut(&s.pairs, 0)
	cut(&s.values, 0)
	cut(&s.entries, 0)
}

// cut releases the scratch space from begin on.
func cut[T any](s *[]T, begin int) {
	if cap(*s) > spare && begin == 0 {
		*s = nil
		return
	}
	clear((*s)[begin:])
	*s = (*s)[:begin]
}

func (d *Decoder) elements(n *node) *elements {
	e := d.scratch.slices[n.id]
	if e == nil {
		e = newElements(n, &d.scratch)
		d.scratch.slices[n.id] = e
	}
	if e.busy {
		return newElements(n, nil)
	}
	return e
}

func newElements(n *node, owner *scratch) *elements {
	return &elements{owner: owner, slice: reflect.New(n.typ).Elem()}
}

// grow ensures a capacity of more than len elements.
func (e *elements) grow(len int) {
	e.slice.SetLen(len)
	e.slice.Grow(max(4, len))
	if e.owner != nil {
		e.owner.held += uintptr(e.slice.Cap()-e.cap) * e.slice.Type().Elem().Size()
	}
	e.cap = e.slice.Cap()
	e.base = e.slice.UnsafePointer()
	e.slice.SetLen(e.cap)
}

func (d *Decoder) sliceValue(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '[' {
		return d.typeMismatch(i, n.typ.String())
	}
	i, done := d.openContainer(i, ']')
	if i < 0 {
		return -1
	}
	v := reflect.NewAt(n.typ, dst).Elem()
	if done {
		v.Set(reflect.MakeSlice(n.typ, 0, 0))
		return i
	}
	e := d.elements(n)
	e.busy = true
	size := n.elem.typ.Size()
	count := 0
	for !done && i >= 0 {
		if count == e.cap {
			e.grow(count)
		}
		d.offsets[d.depth] = ^count
		if !d.takeMemory(size) {
			i = d.failMemory(i, n.typ.String())
			break
		}
		if i = d.value(n.elem, unsafe.Add(e.base, uintptr(count)*size), i); i < 0 {
			count++
			break
		}
		count++
		i, done = d.nextElement(i, ']')
	}
	e.slice.SetLen(count)
	if i >= 0 {
		v.SetZero()
		v.Grow(count)
		v.SetLen(count)
		v.SetCap(count)
		reflect.Copy(v, e.slice)
	}
	e.slice.Clear()
	e.slice.SetLen(e.cap)
	e.busy = false
	return i
}

func (d *Decoder) stringsValue(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '[' {
		return d.typeMismatch(i, n.typ.String())
	}
	i, done := d.openContainer(i, ']')
	begin := len(d.scratch.strings)
	for !done && i >= 0 {
		var text []byte
		var s string
		if !d.takeMemory(unsafe.Sizeof(s)) {
			return d.failMemory(i, n.typ.String())
		}
		if i < len(d.data) && d.data[i] == 'n' {
			i = d.null(n.elem, nil, i)
		} else {
			text, i = d.textAt(i)
			s = d.share(text)
		}
		if i < 0 {
			return -1
		}
		d.scratch.strings = append(d.scratch.strings, s)
		i, done = d.nextElement(i, ']')
	}
	if i < 0 {
		return -1
	}
	collected := d.scratch.strings[begin:]
	s := make([]string, len(collected))
	copy(s, collected)
	*(*[]string)(dst) = s
	cut(&d.scratch.strings, begin)
	return i
}

func (d *Decoder) bytesValue(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '"' {
		return d.sliceValue(n, dst, i)
	}
	text, next := d.textAt(i)
	if next < 0 {
		return -1
	}
	b := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	size, err := base64.StdEncoding.Decode(b, text)
	if err != nil {
		return d.fail(&ValueError{Offset: i, Want: n.typ.String(), Got: "a string", Err: err})
	}
	*(*[]byte)(dst) = b[:size:size]
	return next
}

// arrayValue decodes an array. Excess elements are checked and left out, which counts
// as dropped; missing elements are zeroed.
func (d *Decoder) arrayValue(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '[' {
		return d.typeMismatch(i, n.typ.String())
	}
	i, done := d.openContainer(i, ']')
	size, count := n.elem.typ.Size(), 0
	for !done && i >= 0 {
		d.offsets[d.depth] = ^count
		if count < n.typ.Len() {
			i = d.value(n.elem, unsafe.Add(dst, uintptr(count)*size), i)
		} else {
			if !d.dropped || !d.statusDropped {
				d.recordDropped()
			}
			_, i = d.raw(i)
		}
		if i < 0 {
			return -1
		}
		count++
		i, done = d.nextElement(i, ']')
	}
	v := reflect.NewAt(n.typ, dst).Elem()
	for ; count < n.typ.Len(); count++ {
		v.Index(count).SetZero()
	}
	return i
}
