package deep

import (
	"reflect"
	"time"
)

// Size estimates the bytes of memory that an object uses, including everything that it
// refers to. Strings and slices count with their bytes, and an entry of a map with its
// key, its value and some overhead. What it refers to twice counts twice.
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

// The overhead of a map, and of each entry: the free slots of its tables.
const (
	mapOverhead   = 48
	entryOverhead = 8
)

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
	m.size += mapOverhead + int64(v.Len())*int64(v.Type().Key().Size()+v.Type().Elem().Size()+entryOverhead)
	for entry := v.MapRange(); entry.Next(); {
		m.add(entry.Key())
		m.add(entry.Value())
	}
}

// refers reports whether values of that kind may refer to other memory.
func refers(kind reflect.Kind) bool { return kind == reflect.String || mayShare(kind) }
