package informers

import (
	"context"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// wire has the connections of one library to the server, and breaks them.
type wire struct {
	mu   sync.Mutex
	open map[*strand]struct{}
	down bool // connections are refused
	cuts int  // connections that were broken
}

func newWire() *wire { return &wire{open: map[*strand]struct{}{}} }

// dial is the Dial of a client's configuration.
func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	down := w.down
	w.mu.Unlock()
	if down {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	s := &strand{Conn: conn, wire: w}
	s.left.Store(math.MaxInt64)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[s] = struct{}{}
	return s, nil
}

// cut breaks each connection after a number of further bytes from the server, or at once if
// it is 0.
func (w *wire) cut(after int64) {
	w.mu.Lock()
	open := make([]*strand, 0, len(w.open))
	for s := range w.open {
		open = append(open, s)
	}
	w.mu.Unlock()
	for _, s := range open {
		if s.left.Store(after); after == 0 {
			s.snap()
		}
	}
}

// hold cuts, and refuses every connection until release.
func (w *wire) hold() {
	w.mu.Lock()
	w.down = true
	w.mu.Unlock()
	w.cut(0)
}

func (w *wire) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}

// broken returns the number of connections that cut and hold have broken.
func (w *wire) broken() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cuts
}

// strand is a connection that can break.
type strand struct {
	net.Conn
	wire *wire
	left atomic.Int64 // the number of bytes that may still be read
}

func (s *strand) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	over := -s.left.Add(-int64(n))
	if over < 0 {
		return n, err
	}
	s.snap()
	return max(0, n-int(over)), syscall.ECONNRESET
}

// snap breaks the connection, for the server as well.
func (s *strand) snap() {
	if tcp, ok := s.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	s.wire.mu.Lock()
	if _, open := s.wire.open[s]; open {
		s.wire.cuts++
	}
	s.wire.mu.Unlock()
	s.Close()
}

func (s *strand) Close() error {
	s.wire.mu.Lock()
	delete(s.wire.open, s)
	s.wire.mu.Unlock()
	return s.Conn.Close()
}
