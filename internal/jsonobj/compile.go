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

// compiler makes the nodes of one plan. A type that holds itself is met again
// while its node is still being made, and finds it in nodes.
type compiler struct {
	nodes  map[nodeKey]*node
	slices int // how many nodes are of slices
}

// nodeKey: a type without a name has the methods of its embedded fields only
// where it is reached by a pointer, in encoding/json.
type nodeKey struct {
	typ     reflect.Type
	methods bool
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	numberType      = reflect.TypeFor[json.Number]()
)

// known are the types with a decoder of their own, which does what their
// UnmarshalJSON does.
func known(t reflect.Type) (how, bool) {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return asTime, true
	case reflect.TypeFor[metav1.MicroTime]():
		return asMicroTime, true
	case reflect.TypeFor[resource.Quantity](), reflect.TypeFor[resource.QuantityValue]():
		return asQuantity, true // the latter holds a Quantity, and nothing else
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

// value is the node of a field, an element or a map's value.
func (c *compiler) value(t reflect.Type) (*node, error) { return c.node(t, t.Name() != "") }

// pointed is the node of what a pointer points to.
func (c *compiler) pointed(t reflect.Type) (*node, error) { return c.node(t, true) }

// bare is the node of an embedded field that reflection may not take the
// methods of.
func (c *compiler) bare(t reflect.Type) (*node, error) { return c.node(t, false) }

func (c *compiler) node(t reflect.Type, methods bool) (*node, error) {
	key := nodeKey{t, methods}
	if n := c.nodes[key]; n != nil {
		return n, nil
	}
	n := &node{typ: t}
	c.nodes[key] = n
	if methods && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		if how, ok := known(t); ok {
			n.how = how
			return n, nil
		}
		switch p := reflect.PointerTo(t); {
		case p.Implements(unmarshaler):
			n.how = asUnmarshaler
			return n, nil
		case p.Implements(textUnmarshaler):
			n.how = asText
			return n, nil
		}
	}
	return n, c.shape(n)
}

// shape fills in a node by its type's kind.
func (c *compiler) shape(n *node) (err error) {
	t := n.typ
	switch t.Kind() {
	case reflect.Pointer:
		n.how = asPointer
		n.elem, err = c.pointed(t.Elem())
	case reflect.Struct:
		n.how = asStruct
		n.fields, err = c.structFields(t)
	case reflect.Slice:
		err = c.slice(n)
	case reflect.Array:
		n.how = asArray
		n.elem, err = c.value(t.Elem())
	case reflect.Map:
		err = c.mapping(n)
	case reflect.Interface:
		n.how = asAny
		if t.NumMethod() > 0 {
			n.how = asInterface
		}
	case reflect.String:
		n.how = asString
		if t == numberType {
			n.how = asNumber
		}
	default:
		how, ok := scalars[t.Kind()]
		if !ok {
			return fmt.Errorf("a %v cannot be decoded from JSON", t)
		}
		n.how = how
	}
	return err
}

var scalars = map[reflect.Kind]how{
	reflect.Bool: asBool,
	reflect.Int:  asInt, reflect.Int8: asInt8, reflect.Int16: asInt16, reflect.Int32: asInt32, reflect.Int64: asInt64,
	reflect.Uint: asUint, reflect.Uint8: asUint8, reflect.Uint16: asUint16, reflect.Uint32: asUint32, reflect.Uint64: asUint64,
	reflect.Uintptr: asUint,
	reflect.Float32: asFloat32, reflect.Float64: asFloat64,
}

func (c *compiler) slice(n *node) (err error) {
	n.how = asSlice
	n.id = c.slices
	c.slices++
	if n.elem, err = c.value(n.typ.Elem()); err != nil {
		return err
	}
	switch {
	case n.typ.Elem().Kind() == reflect.Uint8:
		n.how = asBytes
	case n.elem.how == asString:
		n.how = asStrings
	}
	return nil
}

// mapping settles how keys are read, and which maps are read without reflection.
func (c *compiler) mapping(n *node) (err error) {
	key := n.typ.Key()
	if n.elem, err = c.value(n.typ.Elem()); err != nil {
		return err
	}
	n.how = asMap
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
	// Maps whose keys and values are laid out the same are the same to the
	// runtime, whatever the types are called.
	switch n.elem.how {
	case asString:
		n.how = asStringMap
	case asQuantity:
		n.how = asQuantityMap
	}
	return nil
}

// withTypeNames is the root with fields of its own, in which what the object
// says it is can be told from fields of those names elsewhere.
func withTypeNames(root *node) *node {
	if root.how != asStruct {
		return root
	}
	whole := *root
	whole.fields = whole.fields.withTypeNames()
	return &whole
}

// withMetadata is the root with a node of its own for the field "metadata", in
// which managedFields can be told from a field of that name elsewhere, even
// where the type holds itself.
func withMetadata(root *node) *node {
	if root.how != asStruct {
		return root
	}
	f := root.fields.named("metadata")
	if f == nil {
		return root
	}
	whole := *root
	whole.fields = whole.fields.copied()
	whole.fields.named("metadata").node = metadataNode(f.node, maxPointers)
	return &whole
}

// maxPointers is how many pointers are followed to the metadata: a pointer type
// may point to itself.
const maxPointers = 8

// metadataNode is n as the node of the whole object's metadata.
func metadataNode(n *node, pointers int) *node {
	own := *n
	switch {
	case n.how == asPointer && pointers > 0:
		own.elem = metadataNode(n.elem, pointers-1)
	case n.how == asAny:
		own.how = asAnyMetadata
	case n.typ.Kind() == reflect.Map && n.key == asString && n.elem != nil:
		own.how = asMapMetadata
	case n.how == asStruct:
		own.fields = own.fields.withManagedFields()
		if name := own.fields.named("name"); name != nil && name.node.how == asString {
			name.node = &node{how: asString, typ: name.node.typ, alone: true}
		}
	}
	return &own
}
