package stack

import (
	"net"
	"net/http"
	"time"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/pods"
)

func latencyCase(name string, q question, about string) harness.Case {
	side := func(library string) func() harness.Side {
		return func() harness.Side {
			l := listen(q, sides[library])
			return func(m *harness.Meter) { m.Percentiles(l.microseconds(many(m, 2_000, 200))) }
		}
	}
	return harness.Case{Name: name, About: about, Unit: "us", N: 1, Ours: side("ours"), Theirs: side("theirs")}
}

// listener is an informer and its server in this process. Both run until the process
// ends.
type listener struct {
	server *pods.Server
	// entered receives the time at which a callback begins.
	entered chan time.Time
}

func listen(q question, open opener) *listener {
	l := &listener{
		server:  pods.NewServer(pods.Config{Encoding: q.Encoding, Pods: 100, EventPods: 100, WatchLists: true}),
		entered: make(chan time.Time, 1),
	}
	port := must(net.Listen("tcp", "127.0.0.1:0"))
	go func() { check(http.Serve(port, l.server)) }()
	q.URL = "http://" + port.Addr().String()
	open(q, calls{added: func() {}, updated: func(any) { l.entered <- time.Now() }}).Sync()
	return l
}

// microseconds returns the latency of each of a number of events.
func (l *listener) microseconds(events int) (all []float64) {
	written := make(chan time.Time, 1)
	for range events {
		send := l.server.Sending(1)
		time.Sleep(time.Millisecond)
		l.server.Do(func(w http.ResponseWriter) (more bool) {
			written <- time.Now()
			return send(w)
		})
		all = append(all, float64((<-l.entered).Sub(<-written).Nanoseconds())/1e3)
	}
	return all
}
