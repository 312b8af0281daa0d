package informer

import (
	"fmt"
	"runtime/debug"

	"github.com/thinformer/thinformer/indexer"
)

// tell calls the handler for each notification of the run, whatever the handler
// does, until it is over.
func (l *listener[T]) tell(run []notification[T]) {
	for len(run) > 0 && !l.over.Load() {
		run = l.tellUntilBroken(run)
	}
}

// tellUntilBroken returns what is left of the run when a callback has not
// returned. There is one deferred function for the run and not for each
// callback.
func (l *listener[T]) tellUntilBroken(run []notification[T]) (left []notification[T]) {
	i := 0
	defer func() {
		if i < len(run) {
			left = l.broken(run[i:], recover())
		}
	}()
	handler, traced := l.handler, l.processor.traced
	for ; i < len(run) && !l.over.Load(); i++ {
		n := &run[i]
		switch {
		case traced:
			l.callTraced(n)
		case n.kind == updated:
			handler.OnUpdate(n.old, n.new)
		default:
			l.call(n)
		}
	}
	i = len(run)
	return nil
}

func (l *listener[T]) call(n *notification[T]) {
	switch n.kind {
	case added:
		l.handler.OnAdd(n.new, n.initial)
	case updated:
		l.handler.OnUpdate(n.old, n.new)
	case deleted:
		tellDelete(l.handler, n.old, n.new, n.finalStateUnknown)
	case synced:
		l.markSynced()
	}
}

func (l *listener[T]) callTraced(n *notification[T]) {
	if n.kind == synced {
		l.markSynced()
		return
	}
	info := l.processor.info(n, l)
	if called := l.processor.trace.Called; called != nil {
		called(info)
	}
	if returned := l.processor.trace.Returned; returned != nil {
		defer returned(info) // after a panic, too
	}
	l.call(n)
}

// broken: the callback for run[0] has not returned. With a reason it has
// panicked, without one it has ended its goroutine.
func (l *listener[T]) broken(run []notification[T], reason any) (left []notification[T]) {
	l.panics.Add(1)
	what := "informer: a handler panicked"
	switch {
	case reason == nil:
		what = "informer: a handler ended its goroutine"
		l.exited, l.rest = true, run[1:]
	case l.options.Panic == CrashOnPanic:
		l.crashing = true
		panic(reason)
	}
	l.processor.logger.Error(what,
		"informer", l.processor.name, "handler", l.name,
		"event", run[0].kind.String(), "key", l.processor.keyOf(&run[0]),
		"panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
	return run[1:]
}

// tellStart tells what was there when the handler was added.
func (l *listener[T]) tellStart() {
	if l.start != nil {
		l.tellAll(l.start, &l.startTold, func(obj T) notification[T] {
			return notification[T]{kind: added, initial: true, new: obj}
		})
		l.start = nil
	}
	if l.syncedAfterStart && !l.over.Load() {
		l.syncedAfterStart = false
		l.markSynced()
	}
}

// tellAll tells the objects of a snapshot, which are read as they are told.
// told counts them, so that another goroutine can go on when a callback has
// ended this one.
func (l *listener[T]) tellAll(objects *indexer.Snapshot[T], told *int, as func(T) notification[T]) {
	skip, total := *told, objects.Len()
	run, most := make([]notification[T], 0, longestRun), l.pace.next(&l.since)
	for obj := range objects.All() {
		if skip > 0 {
			skip--
			continue
		}
		run = append(run, as(obj))
		*told++
		if len(run) < most && *told < total {
			continue
		}
		l.ahead.Store(int64(total - *told + len(run) - 1))
		l.tell(run)
		if l.over.Load() {
			return
		}
		clear(run)
		run, most = run[:0], l.pace.next(&l.since)
	}
	l.ahead.Store(0)
}
