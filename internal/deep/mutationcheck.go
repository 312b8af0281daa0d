package deep

// MutationCheck detects modifications of a shared object by comparing it with a
// private copy.
type MutationCheck[T any] struct{ obj, copied T }

// NewMutationCheck copies obj; see [Copy] for the limits. obj must not be modified
// during the call.
func NewMutationCheck[T any](obj T) MutationCheck[T] {
	return MutationCheck[T]{obj: obj, copied: Copy(obj)}
}

// Object returns the object, not the copy.
func (c MutationCheck[T]) Object() T { return c.obj }

// Changed reports whether the object has been modified, and the path of a modified
// field, in the form of [Difference].
func (c MutationCheck[T]) Changed() (field string, changed bool) {
	return Difference(c.obj, c.copied)
}
