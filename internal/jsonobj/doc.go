// Package jsonobj decodes the JSON of one Kubernetes object into a Go value, in one
// pass and without intermediate values.
//
//	bytes of one object ──► Decoder.Decode(plan, bytes, &value) ──► the value and its length in bytes
//	bytes as they arrive ─► Framer.Next(part) ... done ───────────► the end of the object
//
// The input is a slice that begins with a JSON value; data after the value is
// ignored. The result is the value and its length in bytes. If the slice ends within
// the value, the error is [ErrShort] and nothing else. A reader of a stream can
// therefore try with the data that it has. On ErrShort it uses a [Framer] to find the
// end, which examines each byte once, however small the parts are.
//
// A [Plan] is compiled once for a Go type: its fields by name, their offsets and how
// each is decoded. A [Decoder] is the scratch space of one goroutine.
//
//	plan, err := jsonobj.PlanOf(reflect.TypeFor[Widget]())
//	...
//	decoder := jsonobj.Decoder{Strings: intern.New()}
//	widget := new(Widget)
//	n, err := decoder.Decode(plan, data, widget)
//
// # Guarantees
//
//   - For every valid document, the value equals the result of apimachinery's JSON
//     serializers (sigs.k8s.io/json, case-sensitive, whole numbers as int64),
//     including the rules for null, embedded structs, UnmarshalJSON and
//     UnmarshalText, invalid UTF-8 and lone surrogates. Quantities of
//     more than 100 bytes, or an exponent beyond 100, are refused: apimachinery
//     would compute with that many digits. A type from elsewhere that passes
//     its own bytes to a Quantity, by embedding one or in its UnmarshalJSON, is
//     not protected.
//   - The value does not refer to the input: strings are copied, or shared through
//     an intern.Table.
//   - A document that is not JSON is a [SyntaxError], which ends a stream. A
//     document that does not fit the Go type is a [ValueError], which affects only
//     one item: the number of bytes to skip is returned with it.
//   - An object whose kind or apiVersion differs from Decoder.Expected does not fit,
//     whether the Go type has these fields or not.
//   - Depth is bounded, and no input causes a panic.
//
// # Unchecked input
//
// Fields that the type does not have are skipped. In a skipped field, strings must
// end, brackets must match, the depth is bounded and all bytes outside strings must
// be ones that JSON allows there. The positions of commas and colons are not checked.
// A document with such an error in a skipped field is accepted here and rejected by
// apimachinery. Everything that is decoded, or passed to an UnmarshalJSON, is checked
// in full.
//
// If a key occurs twice, the last one wins. If both values are objects, the second
// is decoded over the first. If both are arrays, the second replaces the first, while
// apimachinery decodes it over the elements of the first; this is the other exception
// to the first guarantee. Kubernetes servers do not send duplicate keys.
//
// # Why not json-iterator or encoding/json
//
// docs/design/decoding.md has the measurements. json-iterator differs from
// apimachinery's decoder in invalid UTF-8, letter case and numbers, so it could
// not keep the first guarantee. Neither library can share strings or report that the
// data is truncated, and both are several times slower.
package jsonobj
