package informer

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/internal/observe"
)

// Observe calls o with each change of the store, beginning with the next one, until
// remove is called. A handler that is added after Observe has returned receives no change
// that o has not received. Observe is for package controller: the rules for o are those of
// an internal package. A handler is the right choice for all other code. A call that is
// in progress when remove is called may still end later.
func (i *SharedInformer[T]) Observe(o observe.Observer) (remove func()) {
	return i.shared.observers.add(o)
}

// observers are called with each change. Without any, a batch costs one load.
type observers struct {
	// batch is held while a batch is passed to the observers and then to the handlers, so
	// that an observer is added before or after a batch, never between the two.
	batch sync.Mutex

	mu  sync.Mutex
	all atomic.Pointer[[]*observe.Observer]
}

func (o *observers) add(observer observe.Observer) (remove func()) {
	added := &observer
	o.batch.Lock()
	o.update(func(all []*observe.Observer) []*observe.Observer { return append(all, added) })
	o.batch.Unlock()
	return func() {
		o.update(func(all []*observe.Observer) []*observe.Observer {
			return slices.DeleteFunc(all, func(other *observe.Observer) bool { return other == added })
		})
	}
}

func (o *observers) update(change func([]*observe.Observer) []*observe.Observer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []*observe.Observer
	if current := o.all.Load(); current != nil {
		all = slices.Clone(*current)
	}
	if all = change(all); len(all) == 0 {
		o.all.Store(nil)
		return
	}
	o.all.Store(&all)
}

// notify passes a batch, which the store has, to the observers and then to the handlers.
func (s *shared[T]) notify(notifications []notification[T], batch deltafifo.Batch, epoch int) {
	s.observers.batch.Lock()
	defer s.observers.batch.Unlock()
	s.observe(notifications, batch, epoch)
	s.processor.distribute(notifications, s.store.Snapshot())
}

// observe reports a batch, which the store has, to the observers.
func (s *shared[T]) observe(notifications []notification[T], batch deltafifo.Batch, epoch int) {
	all := s.observers.all.Load()
	if all == nil {
		return
	}
	revision := s.store.Snapshot().Revision()
	for i := range notifications {
		n := &notifications[i]
		if n.kind == synced {
			continue
		}
		event := observe.Event{Key: n.key, New: n.new, Deleted: n.kind == deleted, Revision: revision, Epoch: epoch, Listed: batch.Replace}
		if n.kind != added {
			event.Old = n.old
		}
		for _, o := range *all {
			(*o)(&event)
		}
	}
}
