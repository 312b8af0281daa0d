package listwatch

import (
	"errors"

	"github.com/thinformer/thinformer/rest"
)

var (
	// ErrRestarted is yielded by a list whose items so far are void. The
	// complete list follows.
	ErrRestarted = rest.ErrRestarted

	// ErrClosed is returned by a source whose Client is closed.
	ErrClosed = rest.ErrClosed

	// ErrNoFunc is returned by a ListWatch whose ListFunc or WatchFunc is nil.
	ErrNoFunc = errors.New("the ListWatch has no such function")

	// ErrNilResult is returned if a ListFunc or WatchFunc returns nil without an
	// error.
	ErrNilResult = errors.New("the function returned nil and no error")

	// ErrSelectsNothing is returned by a source that was restricted by a
	// selector that matches no object, such as labels.Nothing(). Such a selector
	// cannot be sent: its string is empty, and would select everything.
	ErrSelectsNothing = errors.New("the selector chooses nothing")

	// ErrSelector is returned by Check for a selector that does not parse.
	ErrSelector = errors.New("the selector does not parse")
)
