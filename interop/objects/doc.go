// Package objects is a corpus of API objects as a server returns them: one of
// every kind that clusters are full of, with owners, managed fields, statuses
// and whatever makes a decoder stumble: quantities, ints that are strings,
// times with and without a fraction, raw JSON inside, base64, text in many
// scripts, numbers at the ends of their ranges.
//
// The objects are made of the public types, so that nothing of a real cluster
// is in them, and are the same in each run. The root module, which does without
// those types, has them as files in rest/testdata/objects: <name>.json and
// <name>.pb, the bytes of a server's answer. This package's test says when the
// files are out of date, and writes them with -rewrite.
package objects
