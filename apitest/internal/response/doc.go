// Package response writes the responses of the server.
//
// The input is the text of stored objects, or an error. The output is the body of a
// response in the [Format] that the Accept header of the request asks for: JSON or
// YAML, whole objects, their metadata, or a Table.
//
//   - [Negotiate] rejects the headers that a kube-apiserver rejects, with its
//     messages.
//   - An [Output] is compressed if it is long and the client accepts gzip.
//   - The frames of a watch are written in order, and are sent with the next flush.
//   - [WriteError] writes any error as a Status.
//
// A write error means that the client has disconnected. It ends a watch, and is ignored
// otherwise.
package response
