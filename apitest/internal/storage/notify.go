package storage

// Signal wakes all its waiters. Without waiters, raising it does nothing.
type Signal struct{ waiting chan struct{} }

// Wait returns a channel that the next raise closes.
func (s *Signal) Wait() <-chan struct{} {
	if s.waiting == nil {
		s.waiting = make(chan struct{})
	}
	return s.waiting
}

// Raise wakes the goroutines that wait.
func (s *Signal) Raise() {
	if s.waiting != nil {
		close(s.waiting)
		s.waiting = nil
	}
}

// Notifier is a single channel for a goroutine that waits for several things.
// It is notified when one of them may have changed; notifications that have not
// been received coalesce. Receiving from one channel takes a fraction of the
// stack of a select, and stacks are most of the memory of an idle watch.
type Notifier chan struct{}

// NewNotifier returns a notifier without a notification.
func NewNotifier() Notifier { return make(Notifier, 1) }

// Notify notifies the goroutine that receives. It does not wait.
func (n Notifier) Notify() {
	select {
	case n <- struct{}{}:
	default:
	}
}
