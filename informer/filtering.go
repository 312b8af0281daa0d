package informer

// FilteringResourceEventHandler tells Handler only of the objects that
// FilterFunc chooses. One that comes to be chosen is an OnAdd, one that no
// longer is an OnDelete of the state before: what Handler sees is a legal
// history of the objects that are chosen. One that is deleted is an OnDelete if
// the state that was told before was chosen, whatever became of it since.
//
// It costs less to choose earlier: a selector in Options.Tweak is applied by the
// server, and Options.Filter keeps objects out of the store. This is for
// handlers that want different parts of one informer.
type FilteringResourceEventHandler[T any] struct {
	// FilterFunc answers from the object alone, whenever it is asked: of an
	// update it is asked about the old state and the new one. Where it panics,
	// that notification is lost, as with any panic of a handler. nil chooses
	// all.
	FilterFunc func(T) bool
	Handler    ResourceEventHandler[T]
}

var _ ResourceEventHandler[int] = FilteringResourceEventHandler[int]{}

// OnAdd calls Handler's if obj is chosen.
func (f FilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if f.chooses(obj) {
		f.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls Handler's OnUpdate if both states are chosen, OnAdd if only the
// new one is, OnDelete with the old one if only that is.
func (f FilteringResourceEventHandler[T]) OnUpdate(oldObj, newObj T) {
	was, is := f.chooses(oldObj), f.chooses(newObj)
	switch {
	case was && is:
		f.Handler.OnUpdate(oldObj, newObj)
	case is:
		f.Handler.OnAdd(newObj, false)
	case was:
		f.Handler.OnDelete(oldObj, false)
	}
}

// OnDelete calls Handler's if obj is chosen. An informer does better, since it
// knows what was told before.
func (f FilteringResourceEventHandler[T]) OnDelete(obj T, finalStateUnknown bool) {
	if f.chooses(obj) {
		f.Handler.OnDelete(obj, finalStateUnknown)
	}
}

// tellDelete is OnDelete for an object that was seen before in another state than
// its last: it was changed in the act of being deleted, or before, and that was
// merged into the delete.
func (f FilteringResourceEventHandler[T]) tellDelete(seen, last T, finalStateUnknown bool) {
	if !f.chooses(seen) {
		return
	}
	if !f.chooses(last) {
		last = seen
	}
	tellDelete(f.Handler, seen, last, finalStateUnknown)
}

func (f FilteringResourceEventHandler[T]) chooses(obj T) bool {
	return f.FilterFunc == nil || f.FilterFunc(obj)
}

// wrongWithHandler is what is wrong with the handler behind the filter.
func (f FilteringResourceEventHandler[T]) wrongWithHandler() error {
	return wrongWithHandler(f.Handler)
}
