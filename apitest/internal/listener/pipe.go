package listener

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// pipeListener is a net.Listener without a socket. Dial passes one end of a
// pipe to Accept through a channel.
type pipeListener struct {
	arrivals chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{arrivals: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	reset := new(atomic.Bool)
	select {
	case l.arrivals <- &pipeEnd{server, reset}:
		return &pipeEnd{client, reset}, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: l.Addr(), Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.arrivals:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *pipeListener) Addr() net.Addr { return pipeAddress{} }

type pipeAddress struct{}

func (pipeAddress) Network() string { return "pipe" }
func (pipeAddress) String() string  { return "apitest" }

// pipeEnd is an end of a pipe that can be reset like a TCP connection.
type pipeEnd struct {
	net.Conn
	reset *atomic.Bool // shared by both ends
}

// SetLinger corresponds to the method of *net.TCPConn: with 0 seconds, Close
// resets.
func (e *pipeEnd) SetLinger(seconds int) error {
	e.reset.Store(seconds == 0)
	return nil
}

// Read implements net.Conn.
func (e *pipeEnd) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	return n, e.explain("read", err)
}

// Write implements net.Conn.
func (e *pipeEnd) Write(p []byte) (int, error) {
	n, err := e.Conn.Write(p)
	return n, e.explain("write", err)
}

func (e *pipeEnd) explain(op string, err error) error {
	if err != nil && e.reset.Load() {
		return &net.OpError{Op: op, Net: "pipe", Addr: pipeAddress{}, Err: syscall.ECONNRESET}
	}
	return err
}
