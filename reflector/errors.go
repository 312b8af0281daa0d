package reflector

import (
	"errors"
	"strings"
)

// Each of these names a mistake of the caller's.
var (
	// ErrNoSource: the ListerWatcher is nil, or a nil pointer in an interface.
	ErrNoSource = errors.New("reflector: no ListerWatcher")
	// ErrNoStore: the Store is nil, or a nil pointer in an interface.
	ErrNoStore = errors.New("reflector: no Store")
	// ErrRunning: Run or ListAndWatch while one of them runs.
	ErrRunning = errors.New("reflector: it is running already")
)

// ErrShortWatch is in an [Error] of a watch that has ended as soon as it was
// opened: the next one waits.
var ErrShortWatch = errors.New("the watch ended at once")

// An Error is a failure to keep up with the source. errors.As finds the
// server's *errors.StatusError in it, or what else was the cause.
type Error struct {
	// Name is the reflector's, Verb list or watch, and Version the one from
	// which was watched.
	Name, Verb, Version string
	// Reason is why, in a word.
	Reason Reason
	Err    error
}

func (e *Error) Error() string {
	doing := e.Verb + " " + e.Name
	why := strings.TrimPrefix(e.Err.Error(), doing+": ") // package rest says so as well
	if e.Version != "" {
		doing += " from version " + e.Version
	}
	return doing + ": " + why
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Reason is why a list or a watch has failed, in a word.
type Reason string

// The reasons that a server or the way to it can give.
const (
	Unauthorized Reason = "unauthorized"  // 401: who we are is not known or has expired
	Forbidden    Reason = "forbidden"     // 403: the rights to list and watch are missing
	NotFound     Reason = "not found"     // 404: the resource is not served
	Undecodable  Reason = "undecodable"   // what came cannot be decoded into T
	Timeout      Reason = "timeout"       // no answer, or not in time
	Unreachable  Reason = "unreachable"   // no connection, or nothing to log in with
	Throttled    Reason = "throttled"     // 429
	ServerError  Reason = "server error"  // 5xx
	Expired      Reason = "expired"       // 410: the version is no longer served
	Refused      Reason = "refused"       // 400, 405, 422, 501 ...: the server does not do what was asked
	TooLarge     Reason = "too large"     // the version is not served yet
	WentBack     Reason = "went back"     // the server's versions have gone back
	NoInitialEnd Reason = "no end marked" // a streamed initial state did not come to its mark
	Interrupted  Reason = "interrupted"   // a stream broke off
	StoreFailed  Reason = "store failed"  // the store returned an error
	Other        Reason = "other"
)
