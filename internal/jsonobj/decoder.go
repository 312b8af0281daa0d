package jsonobj

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/thinformer/thinformer/internal/intern"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Decoder decodes values, one at a time. It keeps scratch space between them, so it
// must not be used by several goroutines at a time. The zero value is ready to use.
type Decoder struct {
	// Strings is the table through which strings are shared; nil disables sharing.
	Strings *intern.Table
	// KeepManagedFields decodes metadata.managedFields. By default they are skipped
	// and do not count as dropped.
	KeepManagedFields bool
	// Expected, unless nil, restricts the kind and apiVersion of the whole object.
	Expected *Expected
	// MaxDepth bounds the nesting of arrays and objects; 0 means 512. The maximum
	// is 10,000, apimachinery's own bound.
	MaxDepth int
	// MaxMemory bounds the memory of one value: the elements of its slices and maps
	// and the targets of its pointers, each with the size of its Go type. 0 means
	// 256 MiB. A string counts as its header, as its text is not longer than the
	// data. For a type with its own UnmarshalJSON, each JSON value counts as the
	// largest element that the type can hold.
	MaxMemory int64

	data       []byte
	memoryLeft int64 // of MaxMemory
	err        error
	depth      int // number of levels that may still be opened
	// offsets has, by depth, the position of the current value in its container: the
	// offset of its key in the data, or ^ of its index.
	offsets []int
	dropped bool
	path    string // of the first dropped key, if dropped
	// statusDropped and statusPath are the same for the keys in status or metadata
	// of the whole object.
	statusDropped bool
	statusPath    string
	text          []byte // the last string that needed unescaping
	scratch       scratch
}

// Decode decodes the value at the start of data, after any white space, into a new
// zero value of the plan's type that into points to. It returns the offset after the
// value. The result does not refer to data.
//
// The error is ErrShort, a *SyntaxError or a *ValueError. With a *ValueError, n is
// valid and the value is partly filled.
func (d *Decoder) Decode(p *Plan, data []byte, into any) (n int, err error) {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.Type().Elem() != p.typ || v.IsNil() {
		return 0, fmt.Errorf("decode a %v into a %T: the plan is for another type", p.typ, into)
	}
	d.data, d.err, d.dropped, d.statusDropped = data, nil, false, false
	d.depth, d.memoryLeft = depthOf(d.MaxDepth), MemoryOf(d.MaxMemory)
	if len(d.offsets) < d.depth {
		d.offsets = make([]int, d.depth)
	}
	if d.scratch.plan != p {
		d.scratch.plan, d.scratch.slices, d.scratch.held = p, make([]*elements, p.slices), 0
	}
	defer d.release()
	i := space(data, 0)
	if d.Expected != nil && p.root.mode == asUnmarshaler {
		i = d.checkTypeNames(i)
	}
	switch {
	case i < 0:
	case p.root.mode == asUnstructured:
		i = d.unstructured(into.(*unstructured.Unstructured), i)
	default:
		i = d.value(p.root, v.UnsafePointer(), i)
	}
	if i < 0 {
		return d.locateError()
	}
	return i, nil
}

// Dropped returns the path of the first field that the last Decode skipped because
// the type does not have it, or "" if there was none.
func (d *Decoder) Dropped() string {
	if !d.dropped {
		return ""
	}
	return d.path
}

// DroppedFromStatus is Dropped for the fields in "status" and "metadata" of the
// whole object: only these would be lost in an update of the status.
func (d *Decoder) DroppedFromStatus() string {
	if !d.statusDropped {
		return ""
	}
	return d.statusPath
}

// release drops the references to the last value.
func (d *Decoder) release() {
	d.data, d.err = nil, nil
	d.scratch.release()
	if cap(d.text) > 1<<16 {
		d.text = nil
	}
}

// locateError adds the path of the field to the error, and finds the end of a value
// that does not fit.
func (d *Decoder) locateError() (n int, err error) {
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

// The functions that decode take the offset of the value and return the offset after
// it, or -1 with d.err set.

func (d *Decoder) fail(err error) int {
	d.err = err
	return -1
}

// failShort fails at the end of the data.
func (d *Decoder) failShort() int {
	d.err = ErrShort
	return -1
}

// typeMismatch fails at a value that is invalid or does not fit.
func (d *Decoder) typeMismatch(i int, want string) int {
	if i >= len(d.data) {
		return d.failShort()
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
		return d.failShort()
	}
	if d.data[i] == 'n' {
		return d.null(n, dst, i)
	}
	switch n.mode {
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
			if !d.takeMemory(n.elem.typ.Size()) {
				return d.failMemory(i, n.elem.typ.String())
			}
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
		return d.typeMismatch(i, n.typ.String())
	case asSkipped:
		return d.skip(i)
	default:
		return d.customValue(n, dst, i)
	}
}

// null decodes null. It sets a value that can be nil to nil, and leaves any other
// value unchanged.
func (d *Decoder) null(n *node, dst unsafe.Pointer, i int) int {
	end, err := literal(d.data, i, "null")
	if err != nil {
		return d.fail(err)
	}
	switch n.mode {
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

// skip skips a value.
func (d *Decoder) skip(i int) int {
	data := d.data
	if i >= len(data) {
		return d.failShort()
	}
	switch data[i] {
	case '"':
		if i = afterString(data, i+1); i > len(data) {
			return d.failShort()
		}
		return i
	case '{', '[':
		bound := depthOf(d.MaxDepth)
		f := Framer{state: inside, MaxDepth: bound, around: bound - d.depth}
		i, err := f.tokens(data, i)
		switch {
		case err != nil:
			return d.fail(err)
		case f.state != afterValue:
			return d.failShort()
		}
		return i
	}
	_, i = d.raw(i)
	return i
}

func (d *Decoder) tooDeep(i int) int { return d.fail(tooDeep(i, depthOf(d.MaxDepth))) }
