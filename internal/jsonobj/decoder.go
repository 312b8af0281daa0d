package jsonobj

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/thinformer/thinformer/internal/intern"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Decoder decodes values, one at a time. It keeps scratch space between them,
// and is for one goroutine at a time. The zero value is ready.
type Decoder struct {
	// Strings are shared through this table; nil: each is a copy of its own.
	Strings *intern.Table
	// KeepManagedFields decodes metadata.managedFields, which otherwise is
	// passed over and does not count as dropped.
	KeepManagedFields bool
	// Expected, unless nil, is what the whole object may say that it is.
	Expected *Expected
	// MaxDepth bounds how deep arrays and objects nest; 0 is 512, and more than
	// 10,000, which is apimachinery's own bound, is 10,000.
	MaxDepth int

	data  []byte
	err   error
	depth int // levels that may still be opened
	// trail has, by depth, where the value that is being decoded is in its
	// container: the place of its key in the data, or ^ of its index.
	trail   []int
	dropped bool
	path    string // of the first dropped key, if dropped
	text    []byte // the last string that needed unescaping
	scratch scratch
}

// Decode decodes the value at the start of data, white space before it
// included, into a new zero value of the plan's type that into points to, and
// returns the place after the value. Nothing of the result points into data.
//
// The error is ErrShort, a *SyntaxError or a *ValueError; with the last n is
// valid, and what into points to is half filled.
func (d *Decoder) Decode(p *Plan, data []byte, into any) (n int, err error) {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.Type().Elem() != p.typ || v.IsNil() {
		return 0, fmt.Errorf("decode a %v into a %T: the plan is for another type", p.typ, into)
	}
	d.data, d.err, d.dropped = data, nil, false
	d.depth = depthOf(d.MaxDepth)
	if len(d.trail) < d.depth {
		d.trail = make([]int, d.depth)
	}
	if d.scratch.plan != p {
		d.scratch.plan, d.scratch.slices, d.scratch.held = p, make([]*elements, p.slices), 0
	}
	defer d.release()
	i := space(data, 0)
	if d.Expected != nil && p.root.how == asUnmarshaler {
		i = d.looksFor(i)
	}
	switch {
	case i < 0:
	case p.root.how == asUnstructured:
		i = d.unstructured(into.(*unstructured.Unstructured), i)
	default:
		i = d.value(p.root, v.UnsafePointer(), i)
	}
	if i < 0 {
		return d.explain()
	}
	return i, nil
}

// Dropped is the path of the first field that the last Decode passed over
// because the type does not have it, "" if there was none.
func (d *Decoder) Dropped() string {
	if !d.dropped {
		return ""
	}
	return d.path
}

// release lets go of everything that belongs to the last value.
func (d *Decoder) release() {
	d.data, d.err = nil, nil
	d.scratch.release()
	if cap(d.text) > 1<<16 {
		d.text = nil
	}
}

// explain gives the error the path of its field, and finds the end of a value
// that does not fit.
func (d *Decoder) explain() (n int, err error) {
	switch e := d.err.(type) {
	case *SyntaxError:
		e.Path = pathTo(d.data, e.Offset)
	case *ValueError:
		if n, err = Skip(d.data, d.MaxDepth); err != nil {
			if s := (*SyntaxError)(nil); errors.As(err, &s) {
				s.Path = pathTo(d.data, s.Offset)
			}
			return 0, err
		}
		e.Path = pathTo(d.data, e.Offset)
	}
	return n, d.err
}

// Functions that decode take the place where the value begins and return the
// place after it, or -1 with d.err set.

func (d *Decoder) fail(err error) int {
	d.err = err
	return -1
}

// short is for the end of the data.
func (d *Decoder) short() int {
	d.err = ErrShort
	return -1
}

// misfit is for a value that is none, or one that does not fit.
func (d *Decoder) misfit(i int, want string) int {
	if i >= len(d.data) {
		return d.short()
	}
	kind := KindOf(d.data[i])
	if kind == Invalid {
		return d.fail(unexpected(d.data, i, "a value"))
	}
	return d.fail(&ValueError{Offset: i, Want: want, Got: kind.String()})
}

// value decodes the value at i into what dst points to.
func (d *Decoder) value(n *node, dst unsafe.Pointer, i int) int {
	if i >= len(d.data) {
		return d.short()
	}
	if d.data[i] == 'n' {
		return d.null(n, dst, i)
	}
	switch n.how {
	case asString:
		return d.stringValue(n, dst, i)
	case asBool:
		return d.boolValue(dst, i)
	case asInt, asInt8, asInt16, asInt32, asInt64:
		return d.intValue(n, dst, i)
	case asUint, asUint8, asUint16, asUint32, asUint64:
		return d.uintValue(n, dst, i)
	case asFloat32, asFloat64:
		return d.floatValue(n, dst, i)
	case asStruct:
		return d.structValue(n, dst, i)
	case asPointer:
		p := *(*unsafe.Pointer)(dst)
		if p == nil {
			p = reflect.New(n.elem.typ).UnsafePointer()
			*(*unsafe.Pointer)(dst) = p
		}
		return d.value(n.elem, p, i)
	case asSlice:
		return d.sliceValue(n, dst, i)
	case asStrings:
		return d.stringsValue(n, dst, i)
	case asBytes:
		return d.bytesValue(n, dst, i)
	case asArray:
		return d.arrayValue(n, dst, i)
	case asMap, asMapMetadata:
		return d.mapValue(n, dst, i)
	case asStringMap:
		return d.stringMap(n, dst, i)
	case asQuantityMap:
		return d.quantityMap(n, dst, i)
	case asAny, asAnyMetadata:
		return d.dynamicValue(n, dst, i)
	case asInterface:
		return d.misfit(i, n.typ.String())
	case asSkipped:
		return d.skip(i)
	default:
		return d.customValue(n, dst, i)
	}
}

// null decodes what begins with an n, which can only be null. It empties what
// can be nil, and leaves anything else as it is.
func (d *Decoder) null(n *node, dst unsafe.Pointer, i int) int {
	end, err := literal(d.data, i, "null")
	if err != nil {
		return d.fail(err)
	}
	switch n.how {
	case asUnmarshaler, asTime, asMicroTime, asQuantity, asIntOrString, asFieldsV1, asRaw, asRawExtension, asQuoted:
		return d.customValue(n, dst, i)
	case asStruct, asArray, asSkipped:
		return end
	}
	switch n.typ.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		reflect.NewAt(n.typ, dst).Elem().SetZero()
	}
	return end
}

// skip passes over a value.
func (d *Decoder) skip(i int) int {
	data := d.data
	if i >= len(data) {
		return d.short()
	}
	switch data[i] {
	case '"':
		if i = textAfter(data, i+1); i > len(data) {
			return d.short()
		}
		return i
	case '{', '[':
		bound := depthOf(d.MaxDepth)
		f := Framer{at: inside, MaxDepth: bound, around: bound - d.depth}
		i, err := f.tokens(data, i)
		switch {
		case err != nil:
			return d.fail(err)
		case f.at != afterValue:
			return d.short()
		}
		return i
	}
	_, i = d.raw(i)
	return i
}

func (d *Decoder) tooDeep(i int) int { return d.fail(tooDeep(i, depthOf(d.MaxDepth))) }
