package pbobj

import (
	"fmt"
	"reflect"
)

// MemoryError reports that an object would take more memory than allowed.
type MemoryError struct {
	// Path of the field that exceeds the limit.
	Path string
	Most int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("the object would take more than %d bytes of memory, in %s: see MaxObjectMemory in DecodeOptions", e.Most, e.Path)
}

// prefixPath adds a field to the path of a MemoryError.
func prefixPath(name string, err error) error {
	if tooMuch, ok := err.(*MemoryError); ok {
		tooMuch.Path = name + separator(name, tooMuch.Path) + tooMuch.Path
	}
	return err
}

// reserve subtracts the memory of a field from left, and reports whether there was
// enough.
func (f *messageField) reserve(content []byte, left *int64) bool {
	size := f.size
	if f.packed && content != nil {
		size *= int64(len(content))
	}
	*left -= size
	return *left >= 0
}

// The size of an empty map, and its minimum capacity.
const (
	mapSize     = 48
	minMapSlots = 8
)

// elementSize returns the memory that one occurrence of a field of a Go type adds to
// its struct: 0 if the struct contains the value, or if it is as large as its bytes.
// An entry counts as a whole map, because a map may have only one entry.
func elementSize(t reflect.Type) (size int64, packed bool) {
	switch t.Kind() {
	case reflect.Pointer:
		return int64(t.Elem().Size()), false
	case reflect.Map:
		return mapSize + minMapSlots*int64(t.Key().Size()+t.Elem().Size()), false
	case reflect.Slice:
		elem := t.Elem()
		if elem.Kind() == reflect.Uint8 {
			return 0, false
		}
		return int64(elem.Size()), elem.Kind() <= reflect.Float64
	}
	return 0, false
}
