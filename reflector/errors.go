package reflector

import (
	"errors"
	"strings"
	"time"

	"github.com/thinformer/thinformer/internal/brief"
)

// Errors for invalid calls.
var (
	// ErrNoSource: the ListerWatcher is nil, or a nil pointer in an interface.
	ErrNoSource = errors.New("reflector: the ListerWatcher is nil")
	// ErrNoStore: the Store is nil, or a nil pointer in an interface.
	ErrNoStore = errors.New("reflector: the Store is nil")
	// ErrRunning: Run or ListAndWatch was called while one of them is running.
	ErrRunning = errors.New("reflector: already running")
)

// ErrShortWatch is wrapped by the [Error] of a watch that ended immediately
// after it was opened. The next watch is opened after a wait.
var ErrShortWatch = errors.New("the watch ended immediately")

// An Error is a failure to list or watch the source. errors.As finds the
// server's *errors.StatusError in it, or another cause. Its text has at most 16
// KiB, whatever the length of the cause.
type Error struct {
	// Name is the name of the reflector. Verb is list or watch. Version is the
	// version from which the watch was opened.
	Name, Verb, Version string
	// Reason classifies the failure.
	Reason Reason
	Err    error
	// RetryAt is the time of the next attempt. It is zero if there is no wait:
	// the reflector continues, or lists immediately instead of streaming. For a
	// resource that is not served, it is the time at which the source is asked
	// next whether it serves the resource. While the server does not respond, it is
	// the expected time of the next attempt of this reflector or of another one of
	// the client.
	RetryAt time.Time

	// notFound is set if the resource is not served. repeated: the last error had the
	// same value.
	notFound notFoundState
	repeated bool
}

func (e *Error) Error() string {
	doing := e.Verb + " " + e.Name
	why := e.why()
	if e.Version != "" {
		doing += " from version " + e.Version
	}
	return brief.Text(doing+": "+why, maxErrorLength)
}

// why returns the text of the cause without the description of the request that
// package rest adds, because the name of the reflector says the same.
func (e *Error) why() string {
	text := e.Err.Error()
	head, tail, ok := strings.Cut(text, ": ")
	resource, _, _ := strings.Cut(e.Name, " ")
	doing := e.Verb + " " + resource
	if ok && (head == doing || head == e.Verb+" "+e.Name || strings.HasPrefix(head, doing+" in namespace ")) {
		return tail
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Reason classifies why a list or a watch has failed.
type Reason string

// The reasons of failures.
const (
	ReasonUnauthorized       Reason = "unauthorized"          // 401: the credentials are missing, unknown or expired
	ReasonForbidden          Reason = "forbidden"             // 403: the permission to list and watch is missing
	ReasonNotFound           Reason = "not found"             // 404: the resource is not served
	ReasonUndecodable        Reason = "undecodable"           // the response cannot be decoded into T
	ReasonTimeout            Reason = "timeout"               // no response, or not in time
	ReasonUnreachable        Reason = "unreachable"           // no connection, or no credentials
	ReasonThrottled          Reason = "throttled"             // 429
	ReasonServerError        Reason = "server error"          // 5xx
	ReasonExpired            Reason = "expired"               // 410: the version is no longer served
	ReasonRefused            Reason = "refused"               // 400, 405, 422, 501 ...: the server does not support the request
	ReasonTooLargeVersion    Reason = "too large"             // the version is not served yet
	ReasonVersionWentBack    Reason = "went back"             // the server's versions have gone back
	ReasonNoInitialEventsEnd Reason = "no initial-events-end" // a streamed initial state ended without its final bookmark
	ReasonInterrupted        Reason = "interrupted"           // the connection was lost during a response
	ReasonStoreFailed        Reason = "store failed"          // the store returned an error
	ReasonOther              Reason = "other"
)
