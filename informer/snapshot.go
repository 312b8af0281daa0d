package informer

// Snapshot is an object that others have too, and a copy that nobody else has,
// by which it shows whether the object was changed.
type Snapshot[T any] struct{ obj, copied T }

// TakeSnapshot copies obj as it is now, by reflection: see Clone for what is not
// copied. Nobody may change obj meanwhile.
func TakeSnapshot[T any](obj T) Snapshot[T] {
	return Snapshot[T]{obj: obj, copied: deepCopy(obj)}
}

// Object is the object, and not the copy.
func (s Snapshot[T]) Object() T { return s.obj }

// Changed says whether the object is no longer as it was, and where: the field is
// written as in a MutationError.
func (s Snapshot[T]) Changed() (field string, changed bool) {
	return changedField(&s.obj, &s.copied)
}
