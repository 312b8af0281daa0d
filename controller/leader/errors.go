package leader

import "errors"

var (
	// ErrOptions: an option is missing or has no meaning.
	ErrOptions = errors.New("leader: the options are wrong")
	// ErrRunning: Run of an Elector that runs.
	ErrRunning = errors.New("leader: it is running already")
	// ErrStillActing is returned by Run if lead has not returned although others
	// may lead by now. The program should end, for it acts without being asked
	// to.
	ErrStillActing = errors.New("leader: this program no longer leads, and what it does as the leader has not ended")
)
