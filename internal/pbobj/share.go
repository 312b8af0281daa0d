package pbobj

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/thinformer/thinformer/internal/intern"
)

// Sharer goes over decoded objects of one type and puts shared strings in the
// place of their own. It is compiled once, never changes, and is for any number
// of goroutines.
//
// Generated Unmarshal allocates every string anew, so this costs a pass, and
// saves the memory of what is alike in the objects that are kept.
type Sharer struct {
	share sharing
}

// sharing does it for the value at p. It is nil for types without strings.
type sharing func(p unsafe.Pointer, table *intern.Table)

// NewSharer compiles the pass for a struct type.
func NewSharer(t reflect.Type) *Sharer {
	c := sharerCompiler{known: map[reflect.Type]*compiled{}}
	return &Sharer{share: c.compile(t)}
}

// Share goes over an object, a pointer to the Sharer's type.
func (s *Sharer) Share(object any, table *intern.Table) {
	if s.share != nil && table != nil {
		s.share(reflect.ValueOf(object).UnsafePointer(), table)
	}
}

type sharerCompiler struct {
	// known has what has been compiled, and what is being compiled: types may
	// contain themselves.
	known map[reflect.Type]*compiled
}

type compiled struct {
	share sharing
	done  bool
}

func (c *sharerCompiler) compile(t reflect.Type) sharing {
	if t.Kind() == reflect.String {
		return shareString
	}
	if known, ok := c.known[t]; ok && known.done {
		return known.share
	} else if ok {
		return func(p unsafe.Pointer, table *intern.Table) {
			if known.share != nil {
				known.share(p, table)
			}
		}
	}
	made := &compiled{}
	c.known[t] = made
	switch t.Kind() {
	case reflect.Struct:
		made.share = c.ofStruct(t)
	case reflect.Pointer:
		made.share = c.ofPointer(t)
	case reflect.Slice:
		made.share = c.ofSlice(t)
	case reflect.Map:
		made.share = c.ofMap(t)
	}
	made.done = true
	return made.share
}

func shareString(p unsafe.Pointer, table *intern.Table) {
	s := (*string)(p)
	if len(*s) > 0 && len(*s) <= intern.MaxLen {
		*s = table.Get(unsafe.Slice(unsafe.StringData(*s), len(*s)))
	}
}

func (c *sharerCompiler) ofStruct(t reflect.Type) sharing {
	type member struct {
		offset uintptr
		share  sharing
	}
	var members []member
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() && !field.Anonymous || unique(field) {
			continue
		}
		if share := c.compile(field.Type); share != nil {
			members = append(members, member{field.Offset, share})
		}
	}
	if members == nil {
		return nil
	}
	return func(p unsafe.Pointer, table *intern.Table) {
		for _, m := range members {
			m.share(unsafe.Add(p, m.offset), table)
		}
	}
}

// unique says whether a field is never the same in two objects: it would only
// push others out of the table.
func unique(field reflect.StructField) bool {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name == "uid" || name == "resourceVersion"
}

func (c *sharerCompiler) ofPointer(t reflect.Type) sharing {
	share := c.compile(t.Elem())
	if share == nil {
		return nil
	}
	return func(p unsafe.Pointer, table *intern.Table) {
		if to := *(*unsafe.Pointer)(p); to != nil {
			share(to, table)
		}
	}
}

func (c *sharerCompiler) ofSlice(t reflect.Type) sharing {
	share, size := c.compile(t.Elem()), t.Elem().Size()
	if share == nil {
		return nil
	}
	return func(p unsafe.Pointer, table *intern.Table) {
		// The header of a slice is the same whatever it is a slice of.
		elements := *(*[]struct{})(p)
		first := unsafe.Pointer(unsafe.SliceData(elements))
		for i := range len(elements) {
			share(unsafe.Add(first, uintptr(i)*size), table)
		}
	}
}

func (c *sharerCompiler) ofMap(t reflect.Type) sharing {
	if t == reflect.TypeFor[map[string]string]() {
		return shareStringMap
	}
	if t.Key().Kind() != reflect.String {
		return nil
	}
	share := c.compile(t.Elem())
	return func(p unsafe.Pointer, table *intern.Table) {
		m := reflect.NewAt(t, p).Elem()
		if m.Len() == 0 {
			return
		}
		made := reflect.MakeMapWithSize(t, m.Len())
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem())
		for entries := m.MapRange(); entries.Next(); {
			key.Set(entries.Key())
			shareString(key.Addr().UnsafePointer(), table)
			value.Elem().Set(entries.Value())
			if share != nil {
				share(value.UnsafePointer(), table)
			}
			made.SetMapIndex(key, value.Elem())
		}
		m.Set(made)
	}
}

func shareStringMap(p unsafe.Pointer, table *intern.Table) {
	m := *(*map[string]string)(p)
	if len(m) == 0 {
		return
	}
	made := make(map[string]string, len(m))
	for key, value := range m {
		shareString(unsafe.Pointer(&key), table)
		shareString(unsafe.Pointer(&value), table)
		made[key] = value
	}
	*(*map[string]string)(p) = made
}
