package cache

// An initialList tells when a queue has got through what it began with: at once,
// if it began with a single write, or else with a list. Its user guards it with a
// lock.
type initialList struct {
	// synced is closed once begun is true and left is 0.
	synced chan struct{}
	// begun: the first write has been.
	begun bool
	// left is how much of the list has not been processed.
	left int
}

func newInitialList() initialList { return initialList{synced: make(chan struct{})} }

// begin notes a write, and how much it gives to process before the queue is
// synced.
func (l *initialList) begin(items int) {
	l.begun = true
	l.processed(-items)
}

// processed notes that so much of the list has been processed, or is gone.
func (l *initialList) processed(items int) {
	l.left -= items
	if l.begun && l.left == 0 && !l.done() {
		close(l.synced)
	}
}

func (l *initialList) done() bool {
	select {
	case <-l.synced:
		return true
	default:
		return false
	}
}
