// Package deep copies and compares objects of any type by reflection.
//
//	object ─► Copy() ─► copy
//	object, copy ─► Difference() ─► path of the first difference
//	object, object ─► EqualExceptTypeMeta() ─► bool
//	object ─► Size() ─► bytes of memory
//
// The objects of a store are shared. A reader copies an object before it modifies
// it, a mutation check compares the object with a copy, and an informer compares a
// received object with the stored one. A cache with a bound on its memory measures its
// objects.
package deep
