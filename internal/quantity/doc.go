// Package quantity says which texts are worth being parsed as a
// resource.Quantity.
//
//	text off the wire ──► Check(text) ──► nil: resource.ParseQuantity may have it
//
// resource.ParseQuantity computes with as many digits as an exponent asks for:
// eleven bytes, 1e-99999999, keep a core busy for half a minute. The decoders of
// JSON and of protobuf both ask here first.
//
// What is promised: a text that passes costs microseconds to parse. What is
// refused is no amount of anything: the quantities that Kubernetes writes have
// at most 20 digits or so, and an exponent of at most 18.
package quantity
