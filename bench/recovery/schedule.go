package recovery

import (
	"fmt"
	"strings"
	"time"

	"github.com/thinformer/thinformer/bench/outage"
)

// sources is the kind of the informers' sources.
type sources string

const (
	// fromViews: a View for each collection. The other side uses the dynamic informer.
	fromViews sources = "views of one client"
	// fromFunctions: two functions for each collection, without a shared client.
	fromFunctions sources = "functions that share nothing"
	// fromClientset: package cache's NewListWatchFromClient on the RESTClient of a
	// clientset. The other side uses client-go's.
	fromClientset sources = "NewListWatchFromClient of a clientset"
)

// schedule describes the outages of a case.
type schedule struct {
	// name is the part of the case's name after recover/.
	name string
	// informers is the number of informers of each library. Each has its own
	// collection.
	informers int
	sources   sources
	fault     outage.Fault
	// lasts is the duration of an outage. times is the number of outages; 0 means one.
	lasts time.Duration
	times int
	// expired compacts the server during each outage, so that old versions are answered
	// with 410. restored restores it to an older state.
	expired, restored bool
	// middlebox closes each connection after one to three seconds, instead of an
	// outage. The write is made after lasts, and connections are closed until the end.
	middlebox bool
}

// pause is the time between outages.
const pause = 5 * time.Second

// outages returns the number of outages.
func (s schedule) outages() int {
	if s.middlebox {
		return 0
	}
	return max(1, s.times)
}

// away returns the total duration of the outages.
func (s schedule) away() time.Duration { return time.Duration(s.outages()) * s.lasts }

// fromTheCut reports whether informers can recover during the outage. Recovery is then
// measured from its beginning.
func (s schedule) fromTheCut() bool { return s.fault.Form == outage.HalfOpen }

// needsList reports whether informers cannot resume at their last version.
func (s schedule) needsList() bool { return s.expired || s.restored }

// about describes the schedule in a line.
func (s schedule) about() string {
	parts := []string{fmt.Sprintf("%d informers of each library, from %s", s.informers, s.sources)}
	switch {
	case s.middlebox:
		parts = append(parts, fmt.Sprintf("each connection is closed after 1 to 3 s, from %v before the write until the end", s.lasts))
	case s.times > 1:
		parts = append(parts, fmt.Sprintf("%d outages of %v, %v apart: %s", s.times, s.lasts, pause, describe(s.fault)))
	default:
		parts = append(parts, fmt.Sprintf("an outage of %v: %s", s.lasts, describe(s.fault)))
	}
	if s.expired {
		parts = append(parts, "afterwards old versions have expired")
	}
	if s.restored {
		parts = append(parts, "afterwards the server has an older state")
	}
	return strings.Join(parts, "; ")
}

func describe(f outage.Fault) string {
	text := map[outage.Form]string{
		outage.Reset:           "connections are reset",
		outage.EOF:             "connections end before a handshake",
		outage.Refused:         "the port is closed",
		outage.HalfOpen:        "open connections deliver no bytes and stay open, new ones work, and the write is made at the beginning",
		outage.Partitioned:     "no connection delivers bytes, and all stay open",
		outage.Truncated:       "responses end within the body",
		outage.Unavailable:     "503",
		outage.TooManyRequests: "429",
	}[f.Form]
	if f.RetryAfter > 0 {
		text += fmt.Sprintf(" with Retry-After %v", f.RetryAfter)
	}
	return text
}
