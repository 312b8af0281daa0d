// Package objectlist converts objects between a type and runtime.Object: the
// results of an untyped lister into those of a typed one, and the reverse.
//
// The input are the two results of a lister, a slice or one object and an error.
// The output are the same objects, not copies, with the other type. An error is
// passed on, and then there are no objects: not even a nil pointer in an
// interface. An object of another type is an error that names both types.
//
//	pods, err := objectlist.Typed[*Pod](lister.List(selector))
package objectlist
