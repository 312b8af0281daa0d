package deep

import (
	"reflect"
	"time"
)

// Size estimates the bytes of memory that an object uses, including everything that it
// refers to: the bytes of strings, the capacity of slices, the slots of maps. What it
// refers to twice counts twice.
func Size(obj any) int64 {
	m := measurer{}
	v := reflect.ValueOf(obj)
	if !v.IsValid() {
		return 0
	}
	m.add(v)
	return m.size + int64(v.Type().Size())
}

// A measurer adds up what values refer to.
type measurer struct {
	size         int64
	depth, steps int
}

// The sizes of the runtime's maps: a header, and groups of slots with a control word,
// which are full by seven eighths at most unless there is only one.
const (
	mapHeader  = 48
	groupSlots = 8
	groupWord  = 8
)

// groups returns the number of groups of a map with n entries.
func groups(n int) int {
	all := 1
	for ; n > groupSlots && all*groupSlots*7/8 < n; all *= 2 {
	}
	return all
}

// add adds what v refers to, but not v itself. It stops when the value is deeper or
// larger than real objects are, since it may be cyclic.
func (m *measurer) add(v reflect.Value) {
	if m.depth > maxDepth || m.steps > maxSteps {
		return
	}
	m.depth++
	m.steps++
	defer func() { m.depth-- }()
	switch v.Kind() {
	case reflect.String:
		m.size += int64(v.Len())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			m.size += int64(v.Elem().Type().Size())
			m.add(v.Elem())
		}
	case reflect.Slice:
		m.size += int64(v.Cap()) * int64(v.Type().Elem().Size())
		m.elements(v)
	case reflect.Array:
		m.elements(v)
	case reflect.Map:
		m.entries(v)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return // its location is shared
		}
		for i := range v.NumField() {
			m.add(v.Field(i))
		}
	}
}

func (m *measurer) elements(v reflect.Value) {
	if !refers(v.Type().Elem().Kind()) {
		return
	}
	for i := range v.Len() {
		m.add(v.Index(i))
	}
}

func (m *measurer) entries(v reflect.Value) {
	if v.IsNil() {
		return
	}
	slots := groupSlots * (v.Type().Key().Size() + v.Type().Elem().Size())
	m.size += mapHeader + int64(groups(v.Len()))*int64(slots+groupWord)
	for entry := v.MapRange(); entry.Next(); {
		m.add(entry.Key())
		m.add(entry.Value())
	}
}

// refers reports whether values of that kind may refer to other memory.
func refers(kind reflect.Kind) bool { return kind == reflect.String || mayShare(kind) }
