// Package requestbody decodes the bodies of requests and applies patches to them.
//
// The input is the text of a body in JSON or YAML, or a protobuf envelope. The
// output is a tree of maps and slices, the same body in JSON, and the findings of
// strict decoding: duplicate and unknown fields.
//
//   - [Decode] returns the errors of a kube-apiserver's decoder.
//   - [RejectAliases] finds YAML aliases without expanding them.
//   - [JSONPatch] implements RFC 6902, and [MergePatch] RFC 7386. The number of
//     operations, the growth by copies and the work to measure it are bounded.
//
// The package does not know to which kind a body belongs.
package requestbody
