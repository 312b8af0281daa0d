package jsonobj

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// compiler compiles the nodes of one plan. A recursive type finds its own node in
// nodes while it is being compiled.
type compiler struct {
	nodes  map[nodeKey]*node
	slices int // number of slice nodes
}

// nodeKey identifies a node. In encoding/json, a type without a name has the methods
// of its embedded fields only if it is reached through a pointer.
type nodeKey struct {
	typ     reflect.Type
	methods bool
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	numberType      = reflect.TypeFor[json.Number]()
)

// knownMode returns the mode of types with a special decoder, which is equivalent to
// their UnmarshalJSON.
func knownMode(t reflect.Type) (decodeMode, bool) {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return asTime, true
	case reflect.TypeFor[metav1.MicroTime]():
		return asMicroTime, true
	case reflect.TypeFor[resource.Quantity](), reflect.TypeFor[resource.QuantityValue]():
		return asQuantity, true // a QuantityValue has a Quantity as its only field
	case reflect.TypeFor[intstr.IntOrString]():
		return asIntOrString, true
	case reflect.TypeFor[metav1.FieldsV1]():
		return asFieldsV1, true
	case reflect.TypeFor[json.RawMessage]():
		return asRaw, true
	case reflect.TypeFor[runtime.RawExtension]():
		return asRawExtension, true
	}
	return 0, false
}

// value returns the node of a field, an element or a map's value.
func (c *compiler) value(t reflect.Type) (*node, error) { return c.node(t, t.Name() != "") }

// pointee returns the node of the target of a pointer.
func (c *compiler) pointee(t reflect.Type) (*node, error) { return c.node(t, true) }

// valueWithoutMethods returns the node of an embedded field whose methods reflection
// cannot call.
func (c *compiler) valueWithoutMethods(t reflect.Type) (*node, error) { return c.node(t, false) }

func (c *compiler) node(t reflect.Type, methods bool) (*node, error) {
	key := nodeKey{t, methods}
	if n := c.nodes[key]; n != nil {
		return n, nil
	}
	n := &node{typ: t}
	c.nodes[key] = n
	if methods && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		if mode, ok := knownMode(t); ok {
			n.mode = mode
			return n, nil
		}
		switch p := reflect.PointerTo(t); {
		case p.Implements(unmarshaler):
			n.mode, n.largestElement = asUnmarshaler, largestElement(t, map[reflect.Type]bool{})
			return n, nil
		case p.Implements(textUnmarshaler):
			n.mode = asText
			return n, nil
		}
	}
	return n, c.fillByKind(n)
}

// fillByKind completes a node by its type's kind.
func (c *compiler) fillByKind(n *node) (err error) {
	t := n.typ
	switch t.Kind() {
	case reflect.Pointer:
		n.mode = asPointer
		n.elem, err = c.pointee(t.Elem())
	case reflect.Struct:
		n.mode = asStruct
		n.fields, err = c.structFields(t)
	case reflect.Slice:
		err = c.sliceNode(n)
	case reflect.Array:
		n.mode = asArray
		n.elem, err = c.value(t.Elem())
	case reflect.Map:
		err = c.mapNode(n)
	case reflect.Interface:
		n.mode = asAny
		if t.NumMethod() > 0 {
			n.mode = asInterface
		}
	case reflect.String:
		n.mode = asString
		if t == numberType {
			n.mode = asNumber
		}
	default:
		mode, ok := scalars[t.Kind()]
		if !ok {
			return fmt.Errorf("a %v cannot be decoded from JSON", t)
		}
		n.mode = mode
	}
	return err
}

var scalars = map[reflect.Kind]decodeMode{
	reflect.Bool: asBool,
	reflect.Int:  asInt, reflect.Int8: asInt8, reflect.Int16: asInt16, reflect.Int32: asInt32, reflect.Int64: asInt64,
	reflect.Uint: asUint, reflect.Uint8: asUint8, reflect.Uint16: asUint16, reflect.Uint32: asUint32, reflect.Uint64: asUint64,
	reflect.Uintptr: asUint,
	reflect.Float32: asFloat32, reflect.Float64: asFloat64,
}

func (c *compiler) sliceNode(n *node) (err error) {
	n.mode = asSlice
	n.id = c.slices
	c.slices++
	if n.elem, err = c.value(n.typ.Elem()); err != nil {
		return err
	}
	switch {
	case n.typ.Elem().Kind() == reflect.Uint8:
		n.mode = asBytes
	case n.elem.mode == asString:
		n.mode = asStrings
	}
	return nil
}

// mapNode determines how keys are read, and which maps are read without reflection.
func (c *compiler) mapNode(n *node) (err error) {
	key := n.typ.Key()
	if n.elem, err = c.value(n.typ.Elem()); err != nil {
		return err
	}
	n.mode = asMap
	switch pointer := reflect.PointerTo(key); {
	case pointer.Implements(textUnmarshaler):
		n.key = asText
		if pointer.Implements(unmarshaler) {
			n.key = asUnmarshaler
		}
		return nil
	case key.Kind() == reflect.String:
		n.key = asString
	case key.Kind() >= reflect.Int && key.Kind() <= reflect.Int64:
		n.key = asInt
		return nil
	case key.Kind() >= reflect.Uint && key.Kind() <= reflect.Uintptr:
		n.key = asUint
		return nil
	default:
		return fmt.Errorf("a %v cannot be decoded from JSON: a key is a string, a whole number or an encoding.TextUnmarshaler", n.typ)
	}
	// The runtime treats maps alike whose keys and values have the same memory layout,
	// whatever the types are called.
	switch n.elem.mode {
	case asString:
		n.mode = asStringMap
	case asQuantity:
		n.mode = asQuantityMap
	}
	return nil
}

// withTypeNames returns a copy of the root in which the object's kind and apiVersion
// are marked, as opposed to nested fields of those names.
func withTypeNames(root *node) *node {
	if root.mode != asStruct {
		return root
	}
	marked := *root
	marked.fields = marked.fields.withTypeNames()
	return &marked
}

// withMetadata returns a copy of the root with its own node for the field "metadata",
// in which managedFields are marked, as opposed to nested fields of that name, even
// if the type is recursive.
func withMetadata(root *node) *node {
	if root.mode != asStruct {
		return root
	}
	f := root.fields.named("metadata")
	if f == nil {
		return root
	}
	marked := *root
	marked.fields = marked.fields.copied()
	marked.fields.named("metadata").node = metadataNode(f.node, maxPointers)
	return &marked
}

// maxPointers is the maximum number of pointers to follow to the metadata: a pointer
// type may point to itself.
const maxPointers = 8

// metadataNode returns n as the node of the whole object's metadata.
func metadataNode(n *node, pointers int) *node {
	marked := *n
	switch {
	case n.mode == asPointer && pointers > 0:
		marked.elem = metadataNode(n.elem, pointers-1)
	case n.mode == asAny:
		marked.mode = asAnyMetadata
	case n.typ.Kind() == reflect.Map && n.key == asString && n.elem != nil:
		marked.mode = asMapMetadata
	case n.mode == asStruct:
		marked.fields = marked.fields.withManagedFields()
		if name := marked.fields.named("name"); name != nil && name.node.mode == asString {
			name.node = &node{mode: asString, typ: name.node.typ, noShare: true}
		}
	}
	return &marked
}
