// Package intern keeps one copy of strings that come again and again.
//
//	bytes ──► Table.Get ──► a string: the one made for the same bytes before, if it is still there
//
// Objects of one cluster share most of their text: label and annotation keys,
// namespaces, kinds, image and node names, condition types. Decoded one by one
// they would hold a copy each. A [Table] hands out the copy it has made before.
//
// # What is promised
//
//   - Memory is bounded: a table has a fixed number of places, and keeps no
//     string longer than [MaxLen].
//   - It may forget: what is handed out is always right, and shared as far as
//     it is remembered. A string that has come twice is not pushed out by ones
//     that come once.
//   - Nobody can choose strings that all want the same place: the hash has a
//     secret seed.
//   - Nothing keeps the bytes that were passed in.
//
// A Table is for one goroutine at a time. Two tables may hold the same string
// twice; what objects share is a saving and no promise.
package intern
