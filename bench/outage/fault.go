package outage

import "time"

// Form is a way in which the server is unreachable.
type Form string

// The forms. The first five affect connections, the others requests.
const (
	// Reset resets all connections. Each new one is reset when it is accepted.
	Reset Form = "reset"
	// EOF closes all connections regularly. Each new one is closed before the TLS
	// handshake.
	EOF Form = "eof"
	// Refused closes all connections and the port.
	Refused Form = "refused"
	// HalfOpen keeps the open connections and delays all their bytes, in both
	// directions, until the outage ends. New connections work.
	HalfOpen Form = "half-open"
	// Partitioned is like HalfOpen, but includes new connections.
	Partitioned Form = "partitioned"
	// Truncated answers with 200 and ends the response within the body.
	Truncated Form = "truncated"
	// Unavailable answers with 503.
	Unavailable Form = "503"
	// TooManyRequests answers with 429.
	TooManyRequests Form = "429"
)

// Fault is a form with its parameter. The zero Fault is no outage.
type Fault struct {
	Form Form
	// RetryAfter is sent with 503 and 429 in whole seconds, unless it is 0.
	RetryAfter time.Duration
}

// onConnections reports whether the fault affects connections, so that no request is
// received.
func (f Fault) onConnections() bool {
	switch f.Form {
	case Reset, EOF, Refused, HalfOpen, Partitioned:
		return true
	}
	return false
}
