// Package jsonobj decodes the JSON of one Kubernetes object into a Go value:
// once over the bytes, with nothing built that the value does not keep.
//
//	bytes of one object ──► Decoder.Decode(plan, bytes, &value) ──► the value, and how many bytes it was
//	bytes as they arrive ─► Framer.Next(part) ... done ───────────► where the object ends
//
// What comes in is a slice that begins with a JSON value; what follows the value
// is none of this package's business. What goes out is the value, and the
// number of bytes it took. When the slice ends first, the error is [ErrShort]
// and nothing else, so a reader of a stream tries with what it has, and on
// ErrShort lets a [Framer] find the end, which looks at each byte once however
// small the parts are.
//
// A [Plan] is compiled once for a Go type: its fields by name, their places and
// how each is decoded. A [Decoder] is the scratch space, for one goroutine.
//
//	plan, err := jsonobj.PlanOf(reflect.TypeFor[Widget]())
//	...
//	decoder := jsonobj.Decoder{Strings: intern.New()}
//	widget := new(Widget)
//	n, err := decoder.Decode(plan, data, widget)
//
// # What is promised
//
//   - On every valid document the value equals what apimachinery's JSON
//     serializers make of it (sigs.k8s.io/json, case-sensitive, whole numbers
//     kept as int64): the null rules, embedded structs, UnmarshalJSON and
//     UnmarshalText, invalid UTF-8 and lone surrogates included. Quantities of
//     more than 100 bytes, or an exponent beyond 100, are refused: apimachinery
//     would compute with that many digits. A type of somebody else's that hands
//     its own bytes to a Quantity, by embedding one or in its UnmarshalJSON, is
//     not protected.
//   - Nothing of the value points into the bytes: strings are copied, or shared
//     through an intern.Table.
//   - A document that is not JSON is a [SyntaxError] that ends a stream. One
//     that does not fit the Go type is a [ValueError] that costs one item: the
//     number of bytes to pass is returned with it.
//   - An object that says in its kind or apiVersion that it is something else than
//     Decoder.Expected does not fit, whether the Go type has these fields or not.
//   - Depth is bounded, and no input makes a panic.
//
// # What is not looked at
//
// A field that the type does not have is passed over: its strings must end, its
// brackets must pair, its depth is bounded and its bytes must be ones that JSON
// has outside strings. Whether commas and colons stand where they should is not
// asked. So a document with a fault inside such a field is accepted here and
// refused by apimachinery. Whatever is decoded, and whatever is handed to an
// UnmarshalJSON as raw bytes, is checked in full.
//
// Of a key that comes twice the last one wins; where both are objects, the
// second is decoded over the first. Where both are arrays, the second takes the
// place of the first: apimachinery decodes it over the first one's elements,
// which is the other exception to the first promise. Kubernetes servers send no
// such thing.
//
// # Why not json-iterator or encoding/json
//
// docs/design/decoding.md has the figures. In short: json-iterator differs from
// apimachinery's decoder in invalid UTF-8, letter case and numbers, so it could
// not keep the first promise; neither can share strings, nor say that the data
// was merely short; and both are slower by a factor.
package jsonobj
