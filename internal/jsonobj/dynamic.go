package jsonobj

import (
	"math"
	"strconv"
	"unsafe"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// entry is an entry of an object, before the object's size is known.
type entry struct {
	name  string
	value any
}

// objectRole distinguishes the objects whose fields are treated differently.
type objectRole uint8

const (
	anywhere objectRole = iota
	wholeObject
	wholeMetadata
)

// unstructured decodes the whole object into an Unstructured.
func (d *Decoder) unstructured(u *unstructured.Unstructured, i int) int {
	if i >= len(d.data) {
		return d.failShort()
	}
	switch d.data[i] {
	case 'n':
		end, err := literal(d.data, i, "null")
		if err != nil {
			return d.fail(err)
		}
		u.Object = nil
		return end
	case '{':
	default:
		return d.typeMismatch(i, "an object")
	}
	u.Object, i = d.object(i, wholeObject)
	return i
}

// dynamicValue decodes the value at i into an empty interface.
func (d *Decoder) dynamicValue(n *node, dst unsafe.Pointer, i int) int {
	var v any
	if n.mode == asAnyMetadata && d.data[i] == '{' {
		v, i = d.object(i, wholeMetadata)
	} else {
		v, i = d.anyValue(i)
	}
	if i >= 0 {
		*(*any)(dst) = v
	}
	return i
}

// anyValue decodes a value without a Go type: an object is a map[string]any, an
// array a []any, a number an int64 if possible, else a float64.
func (d *Decoder) anyValue(i int) (any, int) {
	if i >= len(d.data) {
		return nil, d.failShort()
	}
	switch KindOf(d.data[i]) {
	case Text:
		text, i := d.textAt(i)
		if i < 0 {
			return nil, -1
		}
		if d.Strings == nil {
			return string(text), i
		}
		return d.Strings.Boxed(text), i
	case Number:
		return d.anyNumber(i)
	case Object:
		m, i := d.object(i, anywhere)
		return m, i
	case Array:
		return d.array(i)
	case Null:
		end, err := literal(d.data, i, "null")
		if err != nil {
			return nil, d.fail(err)
		}
		return nil, end
	case Bool:
		word := "true"
		if d.data[i] == 'f' {
			word = "false"
		}
		end, err := literal(d.data, i, word)
		if err != nil {
			return nil, d.fail(err)
		}
		return word == "true", end
	}
	return nil, d.typeMismatch(i, "a value")
}

// anyNumber decodes a number as an int64 if it has no fraction or exponent and fits,
// else as a float64.
func (d *Decoder) anyNumber(i int) (any, int) {
	if v, end, ok := shortInt(d.data, i); ok {
		return v, end
	}
	end, whole, err := number(d.data, i)
	if err != nil {
		return nil, d.fail(err)
	}
	text := string(d.data[i:end])
	if whole {
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return v, end
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, d.fail(&ValueError{Offset: i, Want: "float64", Got: describeNumber(text)})
	}
	return f, end
}

func (d *Decoder) array(i int) (any, int) {
	i, done := d.openContainer(i, ']')
	begin := len(d.scratch.values)
	for !done && i >= 0 {
		var v any
		if !d.takeMemory(anySize) {
			return nil, d.failMemory(i, "[]interface {}")
		}
		if v, i = d.anyValue(i); i < 0 {
			return nil, -1
		}
		d.scratch.values = append(d.scratch.values, v)
		i, done = d.nextElement(i, ']')
	}
	if i < 0 {
		return nil, -1
	}
	collected := d.scratch.values[begin:]
	a := make([]any, len(collected))
	copy(a, collected)
	cut(&d.scratch.values, begin)
	return a, i
}

// object decodes the object at i. It skips the managedFields in the metadata of the
// whole object.
func (d *Decoder) object(i int, where objectRole) (map[string]any, int) {
	i, done := d.openContainer(i, '}')
	begin := len(d.scratch.entries)
	if i >= 0 && !d.takeMemory(objectSize(done)) {
		return nil, d.failMemory(i-1, "map[string]interface {}")
	}
	for !done && i >= 0 {
		var name []byte
		if !d.takeMemory(anySlot) {
			return nil, d.failMemory(i, "map[string]interface {}")
		}
		if name, i = d.keyAt(i); i < 0 {
			return nil, -1
		}
		if where == wholeMetadata && !d.KeepManagedFields && string(name) == "managedFields" {
			if i = d.skip(i); i < 0 {
				return nil, -1
			}
			i, done = d.nextElement(i, '}')
			continue
		}
		e := entry{name: d.share(name)}
		if e.value, i = d.entryValue(e.name, i, where); i < 0 {
			return nil, -1
		}
		d.scratch.entries = append(d.scratch.entries, e)
		i, done = d.nextElement(i, '}')
	}
	if i < 0 {
		return nil, -1
	}
	collected := d.scratch.entries[begin:]
	m := make(map[string]any, len(collected))
	for k := range collected {
		m[collected[k].name] = collected[k].value
	}
	cut(&d.scratch.entries, begin)
	return m, i
}

// entryValue decodes the value at i of the entry of that name.
func (d *Decoder) entryValue(name string, i int, where objectRole) (any, int) {
	if i < len(d.data) {
		if where == wholeObject && d.Expected != nil {
			if m := typeMark(name); m != noMark {
				if i = d.checkTypeName(m, i); i < 0 {
					return nil, -1
				}
			}
		}
		switch c := d.data[i]; {
		case c == '{' && where == wholeObject && name == "metadata":
			m, i := d.object(i, wholeMetadata)
			return m, i
		case c == '"' && (isUnique(name) || where == wholeMetadata && name == "name"):
			text, i := d.textAt(i)
			if i < 0 {
				return nil, -1
			}
			return string(text), i
		}
	}
	return d.anyValue(i)
}
