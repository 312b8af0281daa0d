package cache

// KeyFunc makes the key of an object: equal keys mean the same object.
type KeyFunc func(obj any) (string, error)

// ExplicitKey is a key that passes for an object, where only the key is known.
type ExplicitKey string
