package reflector

import "time"

// State is what a reflector is doing and how it fares. It is a copy; taking it
// costs no lock.
type State struct {
	Name  string
	Phase Phase
	// Mode is how the initial state is had, ModeReason why it is not streamed.
	Mode       Mode
	ModeReason string
	// Version is the newest that the store has been told. Epoch counts how
	// often the server's versions have gone back, from 0: versions of different
	// epochs do not compare.
	Version string
	Epoch   int
	// LastEvent and LastBookmark are when the source last said something.
	LastEvent, LastBookmark time.Time
	// Relists counts the times everything was read again, after the first;
	// RelistReason is why it was last.
	Relists      int
	RelistReason string
	// Err is the last failure since the source was last in order, nil if there
	// was none; Since is when the first of these failures was, Failures how
	// many there were, and RetryAt when the next attempt is due.
	Err      error
	Since    time.Time
	Failures int
	RetryAt  time.Time
	// Undecodable counts the objects that were left out because they could not
	// be decoded.
	Undecodable uint64
}

// Phase is what a reflector is doing.
type Phase string

const (
	// Idle: Run has not been called.
	Idle Phase = "idle"
	// Streaming: the initial state arrives in a watch.
	Streaming Phase = "streaming"
	// Listing: the initial state arrives in a list.
	Listing Phase = "listing"
	// Watching: the store is kept up to date.
	Watching Phase = "watching"
	// Waiting: the next attempt is at RetryAt.
	Waiting Phase = "waiting"
	// Stopped: Run has returned.
	Stopped Phase = "stopped"
)

// Mode is how the initial state is had.
type Mode string

const (
	// WatchList: in the watch that then goes on.
	WatchList Mode = "watch-list"
	// List: in a list, after which a watch is opened.
	List Mode = "list"
)
