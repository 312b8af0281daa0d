package jsonobj

import (
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// mapValue decodes an object into a map whose keys are strings. A map that is
// there is added to, as encoding/json does.
func (d *Decoder) mapValue(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '{' {
		return d.misfit(i, n.typ.String())
	}
	i, done := d.first(i, '}')
	if i < 0 {
		return -1
	}
	m := reflect.NewAt(n.typ, dst).Elem()
	if m.IsNil() {
		m.Set(reflect.MakeMap(n.typ))
	}
	if done {
		return i
	}
	name := reflect.New(n.typ.Key()).Elem()
	elem := reflect.New(n.elem.typ)
	for !done && i >= 0 {
		var text []byte
		if text, i = d.keyAt(i); i < 0 {
			return -1
		}
		name.SetString(d.share(text))
		if i = d.value(n.elem, elem.UnsafePointer(), i); i < 0 {
			return -1
		}
		m.SetMapIndex(name, elem.Elem())
		elem.Elem().SetZero()
		i, done = d.more(i, '}')
	}
	return i
}

func (d *Decoder) stringMap(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '{' {
		return d.misfit(i, n.typ.String())
	}
	i, done := d.first(i, '}')
	begin := len(d.scratch.pairs)
	for !done && i >= 0 {
		var text []byte
		if text, i = d.keyAt(i); i < 0 {
			return -1
		}
		name, value := d.share(text), ""
		if i < len(d.data) && d.data[i] == 'n' {
			i = d.null(n.elem, nil, i)
		} else if text, i = d.textAt(i); i >= 0 {
			value = d.share(text)
		}
		if i < 0 {
			return -1
		}
		d.scratch.pairs = append(d.scratch.pairs, name, value)
		i, done = d.more(i, '}')
	}
	if i < 0 {
		return -1
	}
	pairs := d.scratch.pairs[begin:]
	m := (*map[string]string)(dst)
	if *m == nil {
		*m = make(map[string]string, len(pairs)/2)
	}
	for k := 0; k < len(pairs); k += 2 {
		(*m)[pairs[k]] = pairs[k+1]
	}
	cut(&d.scratch.pairs, begin)
	return i
}

func (d *Decoder) quantityMap(n *node, dst unsafe.Pointer, i int) int {
	if d.data[i] != '{' {
		return d.misfit(i, n.typ.String())
	}
	i, done := d.first(i, '}')
	if i < 0 {
		return -1
	}
	m := (*map[string]resource.Quantity)(dst)
	if *m == nil {
		*m = make(map[string]resource.Quantity)
	}
	for !done && i >= 0 {
		var text []byte
		if text, i = d.keyAt(i); i < 0 {
			return -1
		}
		name := d.share(text)
		var q resource.Quantity
		if i = d.value(n.elem, unsafe.Pointer(&q), i); i < 0 {
			return -1
		}
		(*m)[name] = q
		i, done = d.more(i, '}')
	}
	return i
}
