package jsonobj

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// fields has the fields of a struct, by name.
//
// A name is looked up by its first eight bytes and its length: one multiplication, one
// table access, one comparison. Names that agree in both are chained.
type fields struct {
	list  []field
	table []int16 // indexes of list, or -1; the length is a power of two
	shift uint8
}

// key is the lookup key of a name.
type key struct {
	head   uint64 // the first eight bytes in memory order, padded with zeros
	length int
}

func (k key) hash() uint64 {
	return (k.head ^ uint64(k.length)*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
}

func keyOf(name []byte) key {
	if len(name) >= 8 {
		return key{binary.LittleEndian.Uint64(name), len(name)}
	}
	var head uint64
	for i, c := range name {
		head |= uint64(c) << (8 * i)
	}
	return key{head, len(name)}
}

func newFields(list []field) *fields {
	size := 2
	for size < 4*len(list) {
		size *= 2
	}
	f := &fields{list: list, table: make([]int16, size), shift: uint8(64 - bits.TrailingZeros(uint(size)))}
	for i := range f.table {
		f.table[i] = -1
	}
	for i := range list {
		e := &list[i]
		e.key = keyOf([]byte(e.name))
		slot := &f.table[e.key.hash()>>f.shift]
		e.next, *slot = *slot, int16(i)
	}
	return f
}

// find returns the field of that name, or nil. k is the name's key.
func (f *fields) find(k key, name []byte) *field {
	for i := f.table[k.hash()>>f.shift]; i >= 0; {
		e := &f.list[i]
		if e.key == k && (k.length <= 8 || e.name[8:] == string(name[8:])) {
			return e
		}
		i = e.next
	}
	return nil
}

func (f *fields) named(name string) *field { return f.find(keyOf([]byte(name)), []byte(name)) }

func (f *fields) copied() *fields { return newFields(slices.Clone(f.list)) }

// withManagedFields returns a copy in which managedFields are marked. If the type
// lacks that field, it is added as a skipped field: its absence does not count as
// dropped.
func (f *fields) withManagedFields() *fields {
	const name = "managedFields"
	list := slices.Clone(f.list)
	if f.named(name) == nil {
		list = append(list, field{name: name, node: &node{mode: asSkipped}})
	}
	all := newFields(list)
	all.named(name).mark = managedFieldsMark
	return all
}
