package apitest

import (
	"context"
	"errors"
	"maps"
	"net"
	"sync"
	"syscall"
	"time"
)

// Traffic counts the connections and requests of a server since its start or
// the last [Server.ForgetRequests].
type Traffic struct {
	// Dials is the number of accepted connections, and Refused the number of
	// refused ones. Only refusals of [Server.Dial] are counted.
	Dials, Refused int
	// Lost is the number of connections that were accepted during an outage that
	// lets no request through: OutageReset, OutageEOF and OutageHalfOpen.
	Lost int
	// Requests is the number of attempted requests: the received ones, plus one
	// for each refused dial and each lost connection. The pages of one list count
	// as one request. A request that was written to a connection after it became
	// silent is not counted.
	Requests int
	// Verbs is the number of received requests by verb, as in [Request]. It
	// counts only the first page of a list.
	Verbs map[string]int
	// Pages is the number of pages of lists after the first ones.
	Pages int
	// MaxPerSecond is the highest number of Requests within any one second.
	MaxPerSecond int
}

// Traffic returns the current counts.
func (s *Server) Traffic() Traffic { return s.traffic.counts() }

// Dial connects to the server, whatever the address. It is the Dial of
// [Server.Config] with Options.InMemory. On a socket, a test that counts
// refused dials uses it explicitly, in a rest.Config or as the DialContext of a
// transport.
func (s *Server) Dial(ctx context.Context, _, _ string) (conn net.Conn, err error) {
	conn, err = s.listener.Dial(ctx)
	if errors.Is(err, syscall.ECONNREFUSED) {
		s.traffic.refused()
	}
	return conn, err
}

// traffic maintains the counts.
type traffic struct {
	mu    sync.Mutex
	total Traffic
	// recent holds the times of the requests of the last second, oldest first.
	recent []time.Time
}

func (t *traffic) counts() Traffic {
	t.mu.Lock()
	defer t.mu.Unlock()
	counted := t.total
	counted.Verbs = maps.Clone(t.total.Verbs)
	return counted
}

func (t *traffic) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total, t.recent = Traffic{}, nil
}

// accepted counts a connection. lost reports whether an outage lets no request
// through.
func (t *traffic) accepted(lost bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total.Dials++
	if lost {
		t.total.Lost++
		t.countAttempt()
	}
}

func (t *traffic) refused() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total.Refused++
	t.countAttempt()
}

// received counts a request that was read. found reports whether its connection
// was counted as lost, and therefore as a request.
func (t *traffic) received(r *Request, found bool) {
	page := r.Verb == "list" && r.Parameter("continue") != ""
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case page:
		t.total.Pages++
	case t.total.Verbs == nil:
		t.total.Verbs = map[string]int{r.Verb: 1}
	default:
		t.total.Verbs[r.Verb]++
	}
	if found {
		t.total.Lost = max(0, t.total.Lost-1) // the counts may have been reset
	}
	if !page && !found {
		t.countAttempt()
	}
}

// countAttempt counts a request. mu is held.
func (t *traffic) countAttempt() {
	now := time.Now()
	first := 0
	for first < len(t.recent) && now.Sub(t.recent[first]) >= time.Second {
		first++
	}
	t.recent = append(t.recent[:copy(t.recent, t.recent[first:])], now)
	t.total.Requests++
	t.total.MaxPerSecond = max(t.total.MaxPerSecond, len(t.recent))
}
