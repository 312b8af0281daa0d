package cache

// TypedFilteringResourceEventHandler is a FilteringResourceEventHandler for
// objects of one type.
type TypedFilteringResourceEventHandler[T Object] struct {
	// FilterFunc answers from the object alone. Of a deletion of which only the
	// key is known it is asked by the zero T. nil chooses all.
	FilterFunc func(obj T) bool
	Handler    TypedResourceEventHandler[T]
}

// OnAdd calls Handler's if obj is chosen.
func (r TypedFilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if r.chooses(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls Handler's OnUpdate if both states are chosen, OnAdd if only the
// new one is, OnDelete with the old one if only that is.
func (r TypedFilteringResourceEventHandler[T]) OnUpdate(oldObj, newObj T) {
	is, was := r.chooses(newObj), r.chooses(oldObj)
	switch {
	case is && was:
		r.Handler.OnUpdate(oldObj, newObj)
	case is:
		r.Handler.OnAdd(newObj, false)
	case was:
		r.Handler.OnDelete(DeletedObject[T]{OptionalObj: oldObj})
	}
}

// OnDelete calls Handler's if the object is chosen. An informer does better,
// since it knows what was told before: it tells of the deletion exactly when that
// was chosen.
func (r TypedFilteringResourceEventHandler[T]) OnDelete(obj DeletedObject[T]) {
	if r.chooses(obj.OptionalObj) {
		r.Handler.OnDelete(obj)
	}
}

// tellDelete is OnDelete for what was told before in the state seen.
func (r TypedFilteringResourceEventHandler[T]) tellDelete(seen T, deleted DeletedObject[T]) {
	if !r.chooses(seen) {
		return
	}
	if deleted.OptionalObj != seen && !r.chooses(deleted.OptionalObj) {
		deleted.OptionalObj = seen
		if unknown := deleted.FinalStateUnknown; unknown != nil {
			deleted.FinalStateUnknown = &DeletedFinalStateUnknown{Key: unknown.Key, Obj: seen}
		}
	}
	tellTypedDelete(r.Handler, seen, deleted)
}

func (r TypedFilteringResourceEventHandler[T]) chooses(obj T) bool {
	return r.FilterFunc == nil || r.FilterFunc(obj)
}

// tellTypedDelete is tellDelete for typed handlers.
func tellTypedDelete[T Object](h TypedResourceEventHandler[T], seen T, deleted DeletedObject[T]) {
	switch h := h.(type) {
	case TypedFilteringResourceEventHandler[T]:
		h.tellDelete(seen, deleted)
	case *TypedFilteringResourceEventHandler[T]:
		h.tellDelete(seen, deleted)
	default:
		h.OnDelete(deleted)
	}
}
