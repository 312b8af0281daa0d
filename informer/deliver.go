package informer

import (
	"fmt"
	"runtime/debug"

	"github.com/thinformer/thinformer/indexer"
)

// deliver calls the handler for each notification of the run, despite panics, until
// the listener is stopped.
func (l *listener[T]) deliver(run []notification[T]) {
	for len(run) > 0 && !l.stopped.Load() {
		run = l.deliverUntilFailure(run)
	}
}

// deliverUntilFailure returns the rest of the run when a callback has not returned
// normally. One deferred function serves the whole run.
func (l *listener[T]) deliverUntilFailure(run []notification[T]) (left []notification[T]) {
	i := 0
	defer func() {
		if i < len(run) {
			left = l.callbackFailed(run[i:], recover())
		}
	}()
	handler, traced := l.handler, l.processor.traceCallbacks
	for ; i < len(run) && !l.stopped.Load(); i++ {
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
		callOnDelete(l.handler, n.old, n.new, n.finalStateUnknown)
	case synced:
		l.markSynced()
	}
}

func (l *listener[T]) callTraced(n *notification[T]) {
	if n.kind == synced {
		l.markSynced()
		return
	}
	info := l.processor.traceInfo(n, l.name)
	if called := l.processor.trace.Called; called != nil {
		called(info)
	}
	if returned := l.processor.trace.Returned; returned != nil {
		defer returned(info) // also after a panic
	}
	l.call(n)
}

// callbackFailed handles a callback for run[0] that has not returned normally. It
// has panicked if reason is not nil; otherwise it has ended its goroutine.
func (l *listener[T]) callbackFailed(run []notification[T], reason any) (left []notification[T]) {
	l.panics.Add(1)
	message := "informer: a handler panicked"
	switch {
	case reason == nil:
		message = "informer: a handler ended its goroutine"
		l.exited, l.remaining = true, run[1:]
	case l.options.Panic == CrashOnPanic:
		l.crashing = true
		panic(reason)
	}
	l.processor.logger.Error(message,
		"informer", l.processor.name, "handler", l.name,
		"event", run[0].kind.String(), "key", l.processor.keyOf(&run[0]),
		"panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
	return run[1:]
}

// deliverInitial delivers the objects that were stored when the handler was added.
func (l *listener[T]) deliverInitial() {
	if l.initial != nil {
		l.deliverSnapshot(l.initial, &l.initialDelivered, func(obj T) notification[T] {
			return notification[T]{kind: added, initial: true, new: obj}
		})
		l.initial = nil
	}
	if l.syncedAfterInitial && !l.stopped.Load() {
		l.syncedAfterInitial = false
		l.markSynced()
	}
}

// deliverSnapshot delivers the objects of a snapshot. It reads them during the
// delivery. delivered counts them, so that another goroutine can continue when a
// callback has ended this one.
func (l *listener[T]) deliverSnapshot(objects *indexer.Snapshot[T], delivered *int, toNotification func(T) notification[T]) {
	skip, total := *delivered, objects.Len()
	run, limit := make([]notification[T], 0, maxRun), l.sizer.next(&l.callbackStart)
	for obj := range objects.All() {
		if skip > 0 {
			skip--
			continue
		}
		run = append(run, toNotification(obj))
		*delivered++
		if len(run) < limit && *delivered < total {
			continue
		}
		l.snapshotPending.Store(int64(total - *delivered + len(run) - 1))
		l.deliver(run)
		if l.stopped.Load() {
			return
		}
		clear(run)
		run, limit = run[:0], l.sizer.next(&l.callbackStart)
	}
	l.snapshotPending.Store(0)
}

// A resync has the objects of the store at a position of the log. It is delivered
// when the handler has received exactly the notifications before that position, so
// each object is the state that this handler saw last.
type resync[T any] struct {
	position uint64
	objects  indexer.Snapshot[T]
}

// planResync records a position for the resync when its time has come, and again
// if notifications were merged across that position.
func (l *listener[T]) planResync() {
	if l.resyncTimer == nil {
		return
	}
	select {
	case <-l.resyncTimer.C:
		l.resyncDue = true
	default:
	}
	if l.resyncDue {
		l.processor.planResync(l)
	}
}

// deliverResync delivers the resync that next has found to be due. The next period
// begins after that, so that a slow handler does not only process resyncs.
func (l *listener[T]) deliverResync() {
	if l.resyncing == nil {
		return
	}
	l.deliverSnapshot(&l.resyncing.objects, &l.resyncDelivered, func(obj T) notification[T] {
		return notification[T]{kind: updated, old: obj, new: obj}
	})
	l.resyncing, l.resyncDelivered, l.resyncDue = nil, 0, false
	l.resyncTimer.Reset(l.options.ResyncPeriod)
}
