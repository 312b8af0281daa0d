package leader

import "sync"

// notifier calls a function with each new leader, on its own goroutine, so that it
// does not delay renewals.
type notifier struct {
	// pending holds the latest leader that was not reported.
	pending chan string
	// last is the last leader that notify was called with.
	last *string
}

// start starts the goroutine. stop ends it and waits for a call in progress.
func (n *notifier) start(notify func(string)) (stop func()) {
	if notify == nil {
		return func() {}
	}
	n.pending = make(chan string, 1)
	var done sync.WaitGroup
	done.Go(func() {
		reported, anyReported := "", false
		for holder := range n.pending {
			if !anyReported || holder != reported {
				notify(holder)
			}
			reported, anyReported = holder, true
		}
	})
	return func() { close(n.pending); done.Wait() }
}

// notify replaces the pending leader.
func (n *notifier) notify(holder string) {
	if n.pending == nil || n.last != nil && *n.last == holder {
		return
	}
	n.last = &holder
	select {
	case <-n.pending:
	default:
	}
	n.pending <- holder
}
