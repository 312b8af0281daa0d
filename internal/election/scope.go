package election

import "time"

// scope is the server or one of its API groups, each of which fails and recovers as
// a whole.
type scope struct {
	down  bool
	since time.Time
	// err is the newest failure.
	err error
	// needsProof: a response header alone does not end the failure.
	needsProof bool
	// notBefore is the end of the wait that the server has requested.
	notBefore time.Time
	// nextProbe is the earliest time of the next probe.
	nextProbe time.Time
	// probeNow: the next probe is due at once, since another scope has recovered.
	probeNow bool
	// prober is the member that probes, nil if none does.
	prober *Member
	// answered and proved are the number of attempts that had begun when an attempt
	// last got a response, or proved that the server works. A failure of an attempt
	// that began before says nothing about the time after.
	answered, proved uint64
	// lastSuccess is the event number of the last response or proof. failed counts
	// the members with failures of their own since then.
	lastSuccess uint64
	failed      int
}

func (s *scope) clear() {
	if s.prober != nil {
		s.prober.probes = nil
	}
	*s = scope{answered: s.answered, proved: s.proved, lastSuccess: s.lastSuccess, nextProbe: s.nextProbe}
}
