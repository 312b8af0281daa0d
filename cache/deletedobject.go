package cache

import "strings"

// Object is what a typed handler needs to know of its objects. Every type with
// Kubernetes metadata has it. It is comparable so that no object, as a nil
// pointer is, can be told from one.
type Object interface {
	comparable

	GetName() string
	GetNamespace() string
}

// DeletedObject is what a typed handler is told of a deletion. Its methods never
// fail, whether there is an object or only its key.
type DeletedObject[T Object] struct {
	// OptionalObj is the object that was deleted. Where FinalStateUnknown is set
	// it may be out of date, or no object at all.
	OptionalObj T
	// FinalStateUnknown is set where nobody saw the object go. It has the key.
	FinalStateUnknown *DeletedFinalStateUnknown
}

// deletedObject is what an untyped handler's OnDelete is given, as a typed one
// takes it; false if it is not about a T.
func deletedObject[T Object](obj any) (deleted DeletedObject[T], ok bool) {
	tombstone, unknown := obj.(DeletedFinalStateUnknown)
	if unknown {
		deleted.FinalStateUnknown = &tombstone
		if obj = tombstone.Obj; obj == nil {
			return deleted, true
		}
	}
	deleted.OptionalObj, ok = obj.(T)
	return deleted, ok
}

// GetObjectName is the namespace and the name of what was deleted.
func (d DeletedObject[T]) GetObjectName() ObjectName {
	if d.FinalStateUnknown != nil {
		namespace, name, found := strings.Cut(d.FinalStateUnknown.Key, "/")
		if !found {
			return ObjectName{Name: namespace}
		}
		return ObjectName{Namespace: namespace, Name: name}
	}
	var none T
	if d.OptionalObj == none {
		return ObjectName{}
	}
	return ObjectName{Namespace: d.OptionalObj.GetNamespace(), Name: d.OptionalObj.GetName()}
}

// GetName is the name of what was deleted.
func (d DeletedObject[T]) GetName() string { return d.GetObjectName().Name }

// GetNamespace is the namespace of what was deleted, "" if it was in none.
func (d DeletedObject[T]) GetNamespace() string { return d.GetObjectName().Namespace }

// GetKey is the key under which the object was stored.
func (d DeletedObject[T]) GetKey() string {
	if d.FinalStateUnknown != nil {
		return d.FinalStateUnknown.Key
	}
	return d.GetObjectName().String()
}
