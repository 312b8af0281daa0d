package informer

import "github.com/thinformer/thinformer/indexer"

// A resync is every object as it was at a place of the log. Told when the
// handler has been told all before that place, and nothing behind it, each
// object is the one that this handler saw last.
type resync[T any] struct {
	at      uint64
	objects indexer.Snapshot[T]
}

// planResync has the processor note the place, when the time has come, and
// again if notifications were merged across it.
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

// tellResync tells the objects again that cut has found to be due. The next
// period begins when they have been told, so that no handler is so slow that
// it does nothing else.
func (l *listener[T]) tellResync() {
	if l.resyncing == nil {
		return
	}
	l.tellAll(&l.resyncing.objects, &l.resyncTold, func(obj T) notification[T] {
		return notification[T]{kind: updated, old: obj, new: obj}
	})
	l.resyncing, l.resyncTold, l.resyncDue = nil, 0, false
	l.resyncTimer.Reset(l.options.ResyncPeriod)
}
