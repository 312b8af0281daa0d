package jsonobj

import (
	"fmt"
	"unsafe"
)

// defaultMemory is the default bound of MaxMemory. Real objects take less than a
// tenth of it.
const defaultMemory = 256 << 20

// MemoryOf returns the bound, or the default if it is not set.
func MemoryOf(bound int64) int64 {
	if bound <= 0 {
		return defaultMemory
	}
	return bound
}

// The size of a map: a header, and a minimum capacity of one group of the runtime.
const (
	mapSize     = 48
	minMapSlots = 8
	stringSlot  = 2 * unsafe.Sizeof("")
)

// The size of a value in an any: the interface, and the allocated value.
const (
	anySize = unsafe.Sizeof(any(nil)) + unsafe.Sizeof("")
	anySlot = unsafe.Sizeof("") + anySize
)

// objectSize returns the size of a map[string]any without its entries.
func objectSize(empty bool) uintptr {
	if empty {
		return mapSize
	}
	return mapSize + minMapSlots*anySlot
}

// takeMemory subtracts size from the memory left, and reports whether there was
// enough.
func (d *Decoder) takeMemory(size uintptr) bool {
	d.memoryLeft -= int64(size)
	return d.memoryLeft >= 0
}

// failMemory fails at the value at i, which exceeds the memory bound.
func (d *Decoder) failMemory(i int, want string) int {
	return d.fail(&ValueError{Offset: i, Want: want, Got: "the value", Err: &MemoryError{MemoryOf(d.MaxMemory)}})
}

// MemoryError reports that a value would take more memory than allowed.
type MemoryError struct{ Most int64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("the object would take more than %d bytes of memory: see MaxObjectMemory in DecodeOptions", e.Most)
}
