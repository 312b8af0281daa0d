package informer

import "reflect"

// A notification is what one change of the store means to handlers. There is
// one of it, however many handlers there are.
type notification[T any] struct {
	kind notificationKind
	// initial: the object belongs to the first list of the informer.
	initial bool
	// finalStateUnknown has a meaning in deleted.
	finalStateUnknown bool
	// key is "" in what is told from a snapshot.
	key string
	// old is the state that the handlers were told of before, new the one that
	// this brings: in deleted the last one, which they may never have seen.
	old, new T
}

type notificationKind uint8

const (
	added notificationKind = iota + 1
	updated
	deleted
	// synced marks the end of the initial list, and so of the batch that brings
	// it; it has no object.
	synced
)

func (k notificationKind) String() string {
	switch k {
	case added:
		return "add"
	case updated:
		return "update"
	case deleted:
		return "delete"
	case synced:
		return "synced"
	}
	return "none"
}

// keyOf is the key of n, for those who tell people.
func (p *processor[T]) keyOf(n *notification[T]) string {
	if n.key != "" || n.kind == synced {
		return n.key
	}
	key, _ := p.parts.KeyFunc(n.new)
	return key
}

// info is what a Trace is told of n.
func (p *processor[T]) info(n *notification[T], l *listener[T]) TraceInfo {
	info := TraceInfo{Informer: p.name, Handler: l.name, Key: p.keyOf(n), Event: n.kind.String()}
	_, info.Version = p.parts.MetaFunc(n.new)
	return info
}

// isNil reports whether v is nil, or holds a nil.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan, reflect.Interface:
		return r.IsNil()
	default:
		return false
	}
}
