// Package wire converts between objects and the bytes of the Kubernetes API, in JSON
// and in protobuf. It reads lists and watches while they arrive. It knows nothing about
// requests and connections.
//
//	body ──► window ──► jsonList, protobufList   ──► ListReader.Next:  one item
//	                └─► jsonWatch, protobufWatch ──► WatchReader.Next: one event
//	bytes ──► Codec.DecodeObject, Decode, ParseStatus: one object
//	object ──► Encode, EncodeApply: bytes
//
// Input: a Go type and [Options], for a [Codec]; then a body with its content type, or
// without one for [Codec.SniffedList] and [Codec.SniffedWatch].
//
// Output: pointers to new values of the Go type, which share no memory with the body.
// A Status in place of an object is an *errors.StatusError of apimachinery. An object
// that could not be decoded is an [*ItemError], after which the list or watch
// continues. Every other error is final, and shows nothing of the body except its first
// bytes if it is of another type.
//
// Promises:
//
//   - A list is not held in memory: an item is decoded as soon as its last byte has
//     been received, and so is an event of a watch.
//   - Size, nesting and memory of one object are bounded by the Options, the texts of a
//     Status and the identifiers of an object by constants.
//   - A panic of a type's own unmarshaling is an error of that object.
//   - A reader is used by one goroutine. It starts no goroutine.
package wire
