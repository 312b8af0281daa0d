package jsonobj

import "reflect"

// The memory that a type's own UnmarshalJSON allocates cannot be measured while it
// runs. It is estimated before the call: each value in the JSON text counts as the
// largest element that the type can hold.

// largestElement returns the most memory that one JSON value can add to a value of
// type t: an element of a slice, the target of a pointer, or half of a map with one
// entry, which is two JSON values. It is 0 for a type without any of these.
func largestElement(t reflect.Type, seen map[reflect.Type]bool) (size uintptr) {
	if seen[t] {
		return 0
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return max(t.Elem().Size(), largestElement(t.Elem(), seen))
	case reflect.Array:
		return largestElement(t.Elem(), seen)
	case reflect.Map:
		slot := t.Key().Size() + t.Elem().Size()
		return max((mapSize+minMapSlots*slot+slot)/2, largestElement(t.Elem(), seen))
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return (anySize + objectSize(false) + anySlot) / 2
		}
	case reflect.Struct:
		for i := range t.NumField() {
			size = max(size, largestElement(t.Field(i).Type, seen))
		}
	}
	return size
}

// takeCustomMemory takes the memory that the type's own UnmarshalJSON may allocate
// for raw, a valid JSON value. Copies of the text do not count.
func (d *Decoder) takeCustomMemory(n *node, raw []byte) bool {
	if n.largestElement <= 1 || raw[0] != '{' && raw[0] != '[' {
		return true
	}
	d.memoryLeft -= int64(countValues(raw)) * int64(n.largestElement)
	return d.memoryLeft >= 0
}

// countValues returns the number of values in a valid JSON value, including itself.
func countValues(data []byte) int {
	count := 1
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = afterString(data, i+1) - 1
		case ',':
			count++
		case '[', '{':
			if first := data[space(data, i+1)]; first != ']' && first != '}' {
				count++
			}
		}
	}
	return count
}
