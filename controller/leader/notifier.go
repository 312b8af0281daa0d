package leader

import "sync"

// notifier calls a function with each new leader, on its own goroutine, so that it
// does not delay renewals.
type notifier struct {
	// pending holds the latest leader that was not reported.
	pending chan string
	last    *string
}

// start starts the goroutine. stop ends it and waits for a call in progress.
func (h *notifier) start(notify func(string)) (stop func()) {
	if notify == nil {
		return func() {}
	}
	h.pending = make(chan string, 1)
	var done sync.WaitGroup
	done.Go(func() {
		reported, any := "", false
		for holder := range h.pending {
			if !any || holder != reported {
				notify(holder)
			}
			reported, any = holder, true
		}
	})
	return func() { close(h.pending); done.Wait() }
}

// notify replaces the pending leader.
func (h *notifier) notify(holder string) {
	if h.pending == nil || h.last != nil && *h.last == holder {
		return
	}
	h.last = &holder
	select {
	case <-h.pending:
	default:
	}
	h.pending <- holder
}
