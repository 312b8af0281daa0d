// Package intern keeps one copy of strings that occur repeatedly.
//
//	bytes ──► Table.Get ──► the string made for the same bytes before, if it is still in the table
//
// Objects of one cluster share most of their text: label and annotation keys,
// namespaces, kinds, image and node names, condition types. Decoded one by one,
// they would hold a copy each. A [Table] returns the copy that it made before.
//
// # Guarantees
//
//   - Memory is bounded: a table has a fixed number of entries, and keeps no
//     string longer than [MaxLen].
//   - The result is always correct. Sharing is best effort, as the table evicts
//     strings. A string that has occurred twice is not evicted by strings that
//     occur once.
//   - Input cannot be crafted to collide in one entry: the hash has a secret
//     random seed.
//   - The table does not retain the bytes that are passed in.
//
// A Table must not be used by several goroutines at a time. Two tables may hold
// the same string; callers must not rely on sharing.
package intern
