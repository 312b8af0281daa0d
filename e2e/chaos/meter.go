package main

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// record has the events of one program in one outage.
type record struct {
	outage   int         // the number of the outage, which is also that of its beat
	began    time.Time   // when the server was killed
	reads    []time.Time // when the GETs of the outage were sent
	answered time.Time   // the first response of the server
	current  []time.Time // when each informer was current again; zero if it is not
}

// meter records the events of one program.
type meter struct {
	mu sync.Mutex
	record
}

func newMeter(informers int) *meter {
	return &meter{record: record{current: make([]time.Time, informers)}}
}

// begin starts an outage.
func (m *meter) begin(outage int, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outage, m.began = outage, now
	m.reads, m.answered = nil, time.Time{}
	clear(m.current)
}

// saw records the beat that the handler of an informer has received.
func (m *meter) saw(informer, beat int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if beat >= m.outage && m.current[informer].IsZero() {
		m.current[informer] = time.Now()
	}
}

// result is a copy of the record.
func (m *meter) result() record {
	m.mu.Lock()
	defer m.mu.Unlock()
	copied := m.record
	copied.reads, copied.current = slices.Clone(m.reads), slices.Clone(m.current)
	return copied
}

// wrap counts the requests of a client.
func (m *meter) wrap(inner http.RoundTripper) http.RoundTripper {
	return counting{inner, m}
}

type counting struct {
	http.RoundTripper
	meter *meter
}

func (c counting) RoundTrip(req *http.Request) (*http.Response, error) {
	c.meter.sent(req.Method, time.Now())
	resp, err := c.RoundTripper.RoundTrip(req)
	if err == nil && resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
		c.meter.gotAnswer(time.Now())
	}
	return resp, err
}

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (c counting) CloseIdleConnections() {
	if inner, ok := c.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		inner.CloseIdleConnections()
	}
}

// WrappedRoundTripper returns the wrapped transport to client-go.
func (c counting) WrappedRoundTripper() http.RoundTripper { return c.RoundTripper }

func (m *meter) sent(method string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if method == http.MethodGet {
		m.reads = append(m.reads, now)
	}
}

func (m *meter) gotAnswer(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answered.IsZero() {
		m.answered = now
	}
}
