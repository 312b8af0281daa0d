package outage

import "time"

// Form is the way in which a server cannot be used.
type Form string

// The forms. The first five are about connections, the others about requests.
const (
	// Reset resets every connection, and each new one when it is accepted.
	Reset Form = "reset"
	// EOF ends every connection in order, and each new one before the handshake.
	EOF Form = "eof"
	// Refused closes every connection and listens no more.
	Refused Form = "refused"
	// HalfOpen keeps the connections that are open, and holds all bytes on them
	// back in both directions until the outage ends. New connections work.
	HalfOpen Form = "half-open"
	// Partitioned is HalfOpen for new connections too.
	Partitioned Form = "partitioned"
	// Truncated answers 200 and breaks off in the body.
	Truncated Form = "truncated"
	// Unavailable answers 503.
	Unavailable Form = "503"
	// TooManyRequests answers 429.
	TooManyRequests Form = "429"
)

// Fault is a form with its parameter. The zero Fault is none.
type Fault struct {
	Form Form
	// RetryAfter is announced by 503 and 429 in whole seconds, unless it is 0.
	RetryAfter time.Duration
}

// onConnections reports whether no request gets as far as HTTP.
func (f Fault) onConnections() bool {
	switch f.Form {
	case Reset, EOF, Refused, HalfOpen, Partitioned:
		return true
	}
	return false
}
