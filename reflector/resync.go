package reflector

import (
	"context"
	"sync"
	"time"
)

// storeMutex serializes the calls of the store. It is nil, and does nothing,
// without a ResyncPeriod.
type storeMutex chan struct{}

func (t storeMutex) lock(ctx context.Context) bool {
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

func (t storeMutex) unlock() {
	if t != nil {
		<-t
	}
}

// resync calls the store's Resync periodically, once the store has an initial
// state. The returned function waits until the last call has ended; ctx must be
// done.
func (r *Reflector[T]) resync(ctx context.Context) (wait func()) {
	if r.storeMu == nil {
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
			if r.published.hasInitialState.Load() && r.storeMu.lock(ctx) {
				err := r.store.Resync()
				r.storeMu.unlock()
				if err != nil && ctx.Err() == nil {
					r.report(ctx, &Error{Name: r.options.Name, Verb: "resync", Reason: ReasonStoreFailed, Err: err})
				}
			}
		}
	})
	return calling.Wait
}
