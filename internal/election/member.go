package election

import "time"

// Member is one informer.
type Member struct {
	group string
	phase phase

	// number, began, generation and kind describe the current attempt.
	number     uint64
	began      time.Time
	generation int
	kind       Kind
	// overdue: the attempt has no header in time. stuck: an attempt on a newer
	// connection has got one. abandoned: the attempt was abandoned.
	overdue, stuck, abandoned bool
	// abandons counts the attempts abandoned since the last response.
	abandons int
	// In phase answered, deadline is the time at which the response has proved that
	// the server works. In phase granted, another member probes at deadline if this
	// one has sent no request.
	deadline time.Time

	// probes is the scope that the member probes, nil if none.
	probes *scope
	// turn is the number of the member's last probe.
	turn uint64
	// waiting ends neither before notBefore nor before releaseAt.
	notBefore, releaseAt time.Time

	// failure is the kind of the last failure, 0 after a success; failedAt is its
	// event number. counted is the scope's lastSuccess when the member was last
	// counted in the scope's failed.
	failure           Failure
	failedAt, counted uint64
}

// Kind describes a request. It determines how an attempt without a response header
// is treated.
type Kind struct {
	// SlowResponse: the server may take long to begin its response. The attempt is not
	// abandoned.
	SlowResponse bool
	// Reconnect: the attempt follows the loss of a connection. Without a header in
	// time, the server counts as down.
	Reconnect bool
}

// phase is the state of a member.
type phase uint8

const (
	idle       phase = iota // does not affect the others
	granted                 // may proceed, as a probe
	attempting              // has a request without a header
	answered                // has a header, which does not prove that the server works
	waiting                 // waits to be granted
	following               // waits for the first member that lost the connection
)

var phaseNames = [...]string{"idle", "granted", "attempting", "answered", "waiting", "following"}

func (p phase) String() string { return phaseNames[p] }

// reset ends the member's attempt or waiting.
func (m *Member) reset() {
	if m.probes != nil && m.probes.prober == m {
		m.probes.prober = nil
	}
	m.phase, m.probes = idle, nil
	m.overdue, m.stuck, m.abandoned = false, false, false
}

// endProbe ends a probe without ending the attempt.
func (m *Member) endProbe() {
	if m.probes != nil && m.probes.prober == m {
		m.probes.prober = nil
	}
	m.probes = nil
}
