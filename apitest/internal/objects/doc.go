// Package objects converts and compares objects: their JSON text and the trees of
// maps and slices that encoding/json decodes it to. It also generates uids and
// names.
//
// The input is an object from a client or from Go code. The output is a [Draft],
// the text in which the server stores the object, or a tree to change.
//
//   - Two trees with equal content have the same draft. The text is that of
//     encoding/json, except that the version has a fixed position.
//   - Members are split and joined as text: an object from Go code is stored
//     without a tree.
//   - Only functions that are documented to change their argument do so.
//
// The package knows no kinds and no versions of the API.
package objects
