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

// listener hands accepted connections to an http.Server and does to them what a
// fault of connections does. It keeps its address while it refuses.
type listener struct {
	address  net.Addr
	attempt  func() // counts a connection that cannot carry a request
	arrivals chan net.Conn
	closed   chan struct{}
	once     sync.Once
	// accepting is the goroutines that accept, and those that read connections
	// to their end.
	accepting sync.WaitGroup

	mu          sync.Mutex
	form        Form
	tcp         net.Listener // nil while it refuses
	connections map[*connection]struct{}
	released    chan struct{}        // not nil and open while connections can be held
	limit       func() time.Duration // how long a connection lives; nil: as long as it likes
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

// arrive does to a new connection what the fault says.
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
	case Refused: // it was in the kernel's queue when the listener closed
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

// limitTo closes connections after a time from now on.
func (l *listener) limitTo(limit func() time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limit = limit
	for c := range l.connections {
		l.limitOne(c)
	}
}

// limitOne closes a connection after a time if there is a limit. The caller holds
// mu.
func (l *listener) limitOne(c *connection) {
	if l.limit != nil {
		c.limit = time.AfterFunc(l.limit(), func() { _ = c.Close() })
	}
}

// readToEnd ends the stream and waits for the peer to close its side.
func (c *connection) readToEnd() {
	c.finish()
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	_, _ = io.Copy(io.Discard, c.Conn)
	_ = c.Close()
}

// begin starts a fault of connections: open ones are ended or held as well.
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

// open are the connections. The caller holds mu.
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

// listenAgain listens at an address. An outgoing connection of another process may
// have the port for a moment.
func listenAgain(address string) (tcp net.Listener, err error) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if tcp, err = net.Listen("tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return tcp, err
}

// release lets the bytes through that are held back. The caller holds mu.
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

// Accept is of net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.arrivals:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Addr is of net.Listener.
func (l *listener) Addr() net.Addr { return l.address }

// Close is of net.Listener: it closes the connections too.
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
