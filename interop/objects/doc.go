// Package objects is a corpus of API objects as a server returns them: one of every common
// kind, with owners, managed fields, statuses and values that are difficult to decode:
// quantities, integers that may be strings, times with and without a fraction, raw JSON,
// base64, text in many scripts, numbers at the limits of their ranges.
//
// The objects are built from the public types, contain no data of a real cluster, and are
// the same in each run. The root module, which does not import those types, has them as
// files in internal/wire/testdata/objects: <name>.json and <name>.pb, the bytes of a server's
// response. This package's test fails if the files are out of date, and writes them with
// -rewrite.
package objects
