package listwatch

import (
	"errors"

	"github.com/thinformer/thinformer/rest"
)

var (
	// ErrRestarted comes out of a list whose items so far are void: the whole
	// list follows.
	ErrRestarted = rest.ErrRestarted

	// ErrNoFunc is returned by a ListWatch whose ListFunc or WatchFunc is nil.
	ErrNoFunc = errors.New("the ListWatch has no such function")

	// ErrNothing is returned where a ListFunc or WatchFunc has returned neither
	// a list or watch nor an error.
	ErrNothing = errors.New("the function returned nil and no error")

	// ErrSelectsNothing is returned by a source that was narrowed with a
	// selector that chooses no object at all, such as labels.Nothing(). Such a
	// selector cannot be sent: written out it is empty, and would choose
	// everything.
	ErrSelectsNothing = errors.New("the selector chooses nothing")
)
