package cache

// DoneChecker is something that is done at some time, once, by a name.
type DoneChecker interface {
	// Name says what it is, to humans.
	Name() string
	// Done is closed when it is done.
	Done() <-chan struct{}
}
