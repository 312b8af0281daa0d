package jsonobj

import "reflect"

// node describes how a value of one Go type is decoded.
type node struct {
	mode decodeMode
	typ  reflect.Type
	// elem is the node of the elements of a pointer, slice, array or map.
	elem *node
	// key is the mode of a map's keys: strings, whole numbers with or without a sign,
	// or a method of the type.
	key decodeMode
	// fields of a struct.
	fields *fields
	// id numbers the slices of a plan; a Decoder has scratch space for each.
	id int
	// noShare is set for a string that is unlikely to repeat.
	noShare bool
	// wrapped is the struct type in which a field with the option ",string" is decoded
	// by the fallback.
	wrapped reflect.Type
	// largestElement is the largest element that a type with its own UnmarshalJSON can
	// hold.
	largestElement uintptr
}

// decodeMode selects the function that decodes a node.
type decodeMode uint8

const (
	asString decodeMode = iota
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
	asSkipped      // skipped, and not counted as dropped
	asUnknown      // skipped as a field that the type does not have
	asUnstructured // unstructured.Unstructured, as the whole object
)
