// Package quantity rejects quantities that would be expensive to parse.
//
//	text from a response ──► Check(text) ──► nil: resource.ParseQuantity may parse it
//
// resource.ParseQuantity computes with as many digits as an exponent asks for:
// eleven bytes, 1e-99999999, keep a core busy for half a minute. The decoders of
// JSON and of protobuf both call Check first.
//
// A text that passes the check takes microseconds to parse. No real quantity is
// rejected: those that Kubernetes writes have at most about 20 digits and an
// exponent of at most 18.
package quantity
