package reflector

import (
	"context"
	"sync"
	"time"
)

// A turn is whose turn it is to call the store. It is nil, and costs nothing,
// where there is nobody to take turns with.
type turn chan struct{}

func (t turn) take(ctx context.Context) bool {
	if t == nil {
		return true
	}
	select {
	case t <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t turn) give() {
	if t != nil {
		<-t
	}
}

// resync calls the store's Resync now and then, once that has had an initial
// state. What it returns waits until the last call has ended; ctx must be done.
func (r *Reflector[T]) resync(ctx context.Context) (wait func()) {
	if r.turn == nil {
		return func() {}
	}
	var calling sync.WaitGroup
	calling.Go(func() {
		timer := time.NewTimer(r.options.ResyncPeriod)
		defer timer.Stop()
		for ; ; timer.Reset(r.options.ResyncPeriod) {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			if r.board.filled.Load() && r.turn.take(ctx) {
				err := r.store.Resync()
				r.turn.give()
				if err != nil && ctx.Err() == nil {
					r.report(ctx, &Error{Name: r.options.Name, Verb: "resync", Reason: StoreFailed, Err: err})
				}
			}
		}
	})
	return calling.Wait
}
