package apitest

// signal wakes all who wait for it. It costs nothing while nobody does.
type signal struct{ waiting chan struct{} }

// wait is closed by the next raise.
func (s *signal) wait() <-chan struct{} {
	if s.waiting == nil {
		s.waiting = make(chan struct{})
	}
	return s.waiting
}

func (s *signal) raise() {
	if s.waiting != nil {
		close(s.waiting)
		s.waiting = nil
	}
}

// bell is the one place where somebody waits who has to look after several
// things: it is rung when one of them may have changed. Rings that come before
// they are heard are one. To wait at a single channel takes a fraction of the
// stack that a select takes, and stacks are most of what an idle watch holds.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}
