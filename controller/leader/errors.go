package leader

import "errors"

var (
	// ErrOptions: an option is missing or invalid.
	ErrOptions = errors.New("leader: invalid options")
	// ErrRunning: Run was called while the Elector is running.
	ErrRunning = errors.New("leader: already running")
	// ErrStillRunning is returned by Run if lead has not returned although another
	// process may lead. The program should exit, because lead continues to act without
	// leadership.
	ErrStillRunning = errors.New("leader: this process no longer leads, and lead has not returned")
)
