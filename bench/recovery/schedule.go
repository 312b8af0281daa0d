package recovery

import (
	"fmt"
	"strings"
	"time"

	"github.com/thinformer/thinformer/bench/outage"
)

// sources is what informers read from.
type sources string

const (
	// fromViews is a View for each collection; the other side is the dynamic
	// informer.
	fromViews sources = "views of one client"
	// fromFunctions is two functions for each collection, which share nothing.
	fromFunctions sources = "functions that share nothing"
	// fromClientset is package cache's NewListWatchFromClient on the RESTClient of
	// a clientset; the other side is client-go's.
	fromClientset sources = "NewListWatchFromClient of a clientset"
)

// schedule is what happens to the server of a case.
type schedule struct {
	// name of the case, after recover/.
	name string
	// informers of each library, each of a collection of its own.
	informers int
	sources   sources
	fault     outage.Fault
	// lasts is how long an outage takes, times how many there are, 0 being one.
	lasts time.Duration
	times int
	// expired compacts the server during each outage, so that old versions are
	// answered with 410; restored sets it back to a past state.
	expired, restored bool
	// middlebox closes each connection after one to three seconds, for as long as
	// lasts says and then on: there is no outage.
	middlebox bool
}

// pause is the time between outages.
const pause = 5 * time.Second

// outages is how many there are.
func (s schedule) outages() int {
	if s.middlebox {
		return 0
	}
	return max(1, s.times)
}

// away is how long the server cannot be used, in total.
func (s schedule) away() time.Duration { return time.Duration(s.outages()) * s.lasts }

// fromTheCut reports whether recovery is possible during the outage, and counts
// from its beginning.
func (s schedule) fromTheCut() bool { return s.fault.Form == outage.HalfOpen }

// needsList reports whether informers cannot resume where they were.
func (s schedule) needsList() bool { return s.expired || s.restored }

// about says in a line what happens.
func (s schedule) about() string {
	parts := []string{fmt.Sprintf("%d informers of each library, from %s", s.informers, s.sources)}
	switch {
	case s.middlebox:
		parts = append(parts, fmt.Sprintf("each connection is closed after 1 to 3 s, for %v before the write that counts and on", s.lasts))
	case s.times > 1:
		parts = append(parts, fmt.Sprintf("%d outages of %v, %v apart: %s", s.times, s.lasts, pause, describe(s.fault)))
	default:
		parts = append(parts, fmt.Sprintf("an outage of %v: %s", s.lasts, describe(s.fault)))
	}
	if s.expired {
		parts = append(parts, "old versions have expired afterwards")
	}
	if s.restored {
		parts = append(parts, "the server has a past state afterwards")
	}
	return strings.Join(parts, "; ")
}

func describe(f outage.Fault) string {
	text := map[outage.Form]string{
		outage.Reset:           "connections are reset",
		outage.EOF:             "connections end before a handshake",
		outage.Refused:         "the port is closed",
		outage.HalfOpen:        "connections that are open bring nothing and stay open, new ones work, and the write that counts is made at the beginning",
		outage.Partitioned:     "no connection brings anything, and all stay open",
		outage.Truncated:       "answers break off in the body",
		outage.Unavailable:     "503",
		outage.TooManyRequests: "429",
	}[f.Form]
	if f.RetryAfter > 0 {
		text += fmt.Sprintf(" with Retry-After %v", f.RetryAfter)
	}
	return text
}
