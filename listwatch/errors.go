package listwatch

import "errors"

var (
	// ErrNoFunc is returned by a ListWatch whose ListFunc or WatchFunc is nil.
	ErrNoFunc = errors.New("the ListWatch has no such function")

	// ErrSelectsNothing is returned by a source that was narrowed with a
	// selector that chooses no object at all, such as labels.Nothing(). Such a
	// selector cannot be sent: written out it is empty, and would choose
	// everything.
	ErrSelectsNothing = errors.New("the selector chooses nothing")
)
