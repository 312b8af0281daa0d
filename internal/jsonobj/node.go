package jsonobj

import "reflect"

// node is how a value of one Go type is decoded.
type node struct {
	how how
	typ reflect.Type
	// elem is what a pointer, slice, array or map holds.
	elem *node
	// key is how a map's keys are read: as a string, a whole number with or
	// without a sign, or by a method of its type.
	key how
	// fields of a struct.
	fields *fields
	// id numbers the slices of a plan, for the scratch space that a Decoder has
	// for each.
	id int
	// alone: the string is not likely to come again.
	alone bool
	// wrapped is the struct type in which a field with the option ",string" is
	// decoded by the fall-back.
	wrapped reflect.Type
}

// how says which function decodes a node.
type how uint8

const (
	asString how = iota
	asBool
	asInt
	asInt8
	asInt16
	asInt32
	asInt64
	asUint
	asUint8
	asUint16
	asUint32
	asUint64
	asFloat32
	asFloat64
	asStruct
	asPointer
	asSlice
	asStrings      // a slice of strings
	asBytes        // a slice of bytes: base64, or an array of numbers
	asArray        //
	asMap          //
	asStringMap    // a map of strings to strings
	asQuantityMap  // a map of strings to quantities
	asAny          //
	asAnyMetadata  // asAny, as the metadata of the whole object
	asMapMetadata  // asMap, as the metadata of the whole object
	asInterface    // an interface with methods: null, or an error
	asNumber       // json.Number
	asUnmarshaler  // UnmarshalJSON is called
	asText         // UnmarshalText is called
	asTime         // metav1.Time
	asMicroTime    // metav1.MicroTime
	asQuantity     // resource.Quantity, resource.QuantityValue
	asIntOrString  // intstr.IntOrString
	asFieldsV1     // metav1.FieldsV1
	asRaw          // json.RawMessage
	asRawExtension // runtime.RawExtension
	asQuoted       // a field with the option ",string"
	asSkipped      // passed over, and not counted as dropped
	asUnknown      // passed over as a field that the type does not have
	asUnstructured // unstructured.Unstructured, as the whole object
)
