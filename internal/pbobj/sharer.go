package pbobj

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/thinformer/thinformer/internal/intern"
)

// Sharer replaces the strings of decoded objects of one type with equal strings of a
// table. It is compiled once, immutable, and safe for concurrent use.
//
// The generated Unmarshal allocates every string. Replacing the strings takes another
// pass over an object, and saves the memory of strings that several stored objects
// have in common.
type Sharer struct {
	share shareFunc
}

// shareFunc replaces the strings of the value at p. It is nil for types without strings.
type shareFunc func(p unsafe.Pointer, table *intern.Table)

// NewSharer compiles a Sharer for a struct type.
func NewSharer(t reflect.Type) *Sharer {
	c := sharerCompiler{known: map[reflect.Type]*shareEntry{}}
	return &Sharer{share: c.compile(t)}
}

// Share replaces the strings of an object, a pointer to the type of the Sharer.
func (s *Sharer) Share(object any, table *intern.Table) {
	if s.share != nil && table != nil {
		s.share(reflect.ValueOf(object).UnsafePointer(), table)
	}
}

type sharerCompiler struct {
	// known has the types that have been compiled or are being compiled. Types may
	// contain themselves.
	known map[reflect.Type]*shareEntry
}

type shareEntry struct {
	share shareFunc
	done  bool
}

func (c *sharerCompiler) compile(t reflect.Type) shareFunc {
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
	entry := &shareEntry{}
	c.known[t] = entry
	switch t.Kind() {
	case reflect.Struct:
		entry.share = c.structFunc(t)
	case reflect.Pointer:
		entry.share = c.pointerFunc(t)
	case reflect.Slice:
		entry.share = c.sliceFunc(t)
	case reflect.Map:
		entry.share = c.mapFunc(t)
	}
	entry.done = true
	return entry.share
}

func shareString(p unsafe.Pointer, table *intern.Table) {
	s := (*string)(p)
	if len(*s) > 0 && len(*s) <= intern.MaxLen {
		*s = table.Get(unsafe.Slice(unsafe.StringData(*s), len(*s)))
	}
}

func (c *sharerCompiler) structFunc(t reflect.Type) shareFunc {
	type member struct {
		offset uintptr
		share  shareFunc
	}
	var members []member
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() && !field.Anonymous || isUnique(field) {
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

// isUnique reports whether a field differs in all objects. Its strings would only evict
// other strings from the table.
func isUnique(field reflect.StructField) bool {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name == "uid" || name == "resourceVersion"
}

func (c *sharerCompiler) pointerFunc(t reflect.Type) shareFunc {
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

func (c *sharerCompiler) sliceFunc(t reflect.Type) shareFunc {
	share, size := c.compile(t.Elem()), t.Elem().Size()
	if share == nil {
		return nil
	}
	return func(p unsafe.Pointer, table *intern.Table) {
		// All slices have the same header, whatever their element type.
		elements := *(*[]struct{})(p)
		first := unsafe.Pointer(unsafe.SliceData(elements))
		for i := range len(elements) {
			share(unsafe.Add(first, uintptr(i)*size), table)
		}
	}
}

func (c *sharerCompiler) mapFunc(t reflect.Type) shareFunc {
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
		copied := reflect.MakeMapWithSize(t, m.Len())
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem())
		for entries := m.MapRange(); entries.Next(); {
			key.Set(entries.Key())
			shareString(key.Addr().UnsafePointer(), table)
			value.Elem().Set(entries.Value())
			if share != nil {
				share(value.UnsafePointer(), table)
			}
			copied.SetMapIndex(key, value.Elem())
		}
		m.Set(copied)
	}
}

func shareStringMap(p unsafe.Pointer, table *intern.Table) {
	m := *(*map[string]string)(p)
	if len(m) == 0 {
		return
	}
	copied := make(map[string]string, len(m))
	for key, value := range m {
		shareString(unsafe.Pointer(&key), table)
		shareString(unsafe.Pointer(&value), table)
		copied[key] = value
	}
	*(*map[string]string)(p) = copied
}
