package outage

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// listener passes accepted connections to an http.Server and applies faults of
// connections. It keeps its address while it refuses connections.
type listener struct {
	address  net.Addr
	attempt  func() // counts a connection that cannot carry a request
	arrivals chan net.Conn
	closed   chan struct{}
	once     sync.Once
	// accepting counts the goroutines that accept connections or read them to their
	// end.
	accepting sync.WaitGroup

	mu          sync.Mutex
	form        Form
	tcp         net.Listener // nil while connections are refused
	connections map[*connection]struct{}
	released    chan struct{}        // not nil and open while connections can be held
	limit       func() time.Duration // lifetime of a connection; nil if there is no limit
}

func listen(attempt func()) (*listener, error) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &listener{
		address: tcp.Addr(), attempt: attempt,
		arrivals: make(chan net.Conn), closed: make(chan struct{}), connections: map[*connection]struct{}{},
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serve(tcp)
	return l, nil
}

// serve accepts connections until tcp is closed. The caller holds mu.
func (l *listener) serve(tcp net.Listener) {
	l.tcp = tcp
	l.accepting.Go(func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			l.arrive(conn)
		}
	})
}

// arrive applies the current fault to a new connection.
func (l *listener) arrive(conn net.Conn) {
	c := &connection{Conn: conn, listener: l, closed: make(chan struct{})}
	l.mu.Lock()
	form := l.form
	l.connections[c] = struct{}{}
	l.limitOne(c)
	c.held = form == Partitioned
	l.mu.Unlock()
	if form != "" && form != HalfOpen {
		l.attempt()
	}
	switch form {
	case Reset:
		c.reset()
		return
	case Refused: // it was already in the kernel's queue
		_ = c.Close()
		return
	case EOF:
		l.accepting.Go(func() { c.readToEnd() })
		return
	case Partitioned:
		c.counted.Store(true)
	}
	select {
	case l.arrivals <- c:
	case <-l.closed:
		_ = c.Close()
	}
}

// limitTo limits the lifetime of all connections, which begins now for open ones.
func (l *listener) limitTo(limit func() time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limit = limit
	for c := range l.connections {
		l.limitOne(c)
	}
}

// limitOne starts the timer that closes a connection, if there is a limit. The caller
// holds mu.
func (l *listener) limitOne(c *connection) {
	if l.limit != nil {
		c.limit = time.AfterFunc(l.limit(), func() { _ = c.Close() })
	}
}

// readToEnd closes the connection for writing and waits until the peer closes it.
func (c *connection) readToEnd() {
	c.finish()
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	_, _ = io.Copy(io.Discard, c.Conn)
	_ = c.Close()
}

// begin starts a fault of connections. It also ends or holds open connections.
func (l *listener) begin(form Form) {
	l.mu.Lock()
	l.form = form
	open := l.open()
	switch form {
	case Refused:
		_ = l.tcp.Close()
		l.tcp = nil
	case HalfOpen, Partitioned:
		l.released = make(chan struct{})
		for _, c := range open {
			c.held = true
		}
	}
	l.mu.Unlock()
	for _, c := range open {
		switch form {
		case Reset:
			c.reset()
		case EOF:
			c.finish()
		case Refused:
			_ = c.Close()
		}
	}
}

// open returns the connections. The caller holds mu.
func (l *listener) open() (open []*connection) {
	for c := range l.connections {
		open = append(open, c)
	}
	return open
}

// end ends the fault.
func (l *listener) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.form = ""
	l.release()
	if l.tcp != nil {
		return nil
	}
	tcp, err := listenAgain(l.address.String())
	if err != nil {
		return fmt.Errorf("listen again at %v after an outage: %w", l.address, err)
	}
	l.serve(tcp)
	return nil
}

// listenAgain listens at an address again. The port may be used for a moment by an
// outgoing connection of another process.
func listenAgain(address string) (tcp net.Listener, err error) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if tcp, err = net.Listen("tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return tcp, err
}

// release ends the delay of all connections. The caller holds mu.
func (l *listener) release() {
	if l.released == nil {
		return
	}
	close(l.released)
	l.released = nil
	for c := range l.connections {
		c.held = false
	}
}

func (c *connection) waitWhileHeld() {
	c.listener.mu.Lock()
	held, released := c.held, c.listener.released
	c.listener.mu.Unlock()
	if !held {
		return
	}
	select {
	case <-released:
	case <-c.closed:
	}
}

func (l *listener) forget(c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.connections, c)
	if c.limit != nil {
		c.limit.Stop()
	}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.arrivals:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return l.address }

// Close implements net.Listener. It also closes the connections.
func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.mu.Lock()
		l.release()
		if l.tcp != nil {
			_ = l.tcp.Close()
		}
		open := l.open()
		l.mu.Unlock()
		for _, c := range open {
			_ = c.Close()
		}
	})
	return nil
}
