package listener

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"
)

// reopenInterval is the time between two attempts to listen again at an address
// that another program may have taken.
const reopenInterval = 50 * time.Millisecond

// Listener accepts the connections of a server. While it is suspended, dials
// are refused. It resumes at the same address.
type Listener struct {
	// serve accepts connections until the net.Listener is closed.
	serve func(net.Listener)
	// admit reports whether to serve a new connection. It may close the connection.
	admit    func(*Connection) bool
	inMemory bool

	mu sync.Mutex
	// address is the requested address, and the actual one once it is listening.
	address string
	// inner is nil while suspended.
	inner net.Listener
	// suspensions that have not been resumed. The listener accepts connections
	// when there are none.
	suspensions map[*Suspension]bool
	// reservation keeps the port while suspended; nil otherwise.
	reservation *portReservation
	// reserving receives the connections that are accepted while a reservation is
	// being made.
	reserving   chan net.Conn
	closed      bool // by close
	connections map[*Connection]bool
	done        sync.WaitGroup // of serve
}

// Suspension is one reason to refuse connections.
type Suspension struct{ _ byte }

// New returns a listener for an address, or for pipes. It accepts no
// connections before open. serve is called with each net.Listener and returns
// when that is closed. admit is called after a connection is accepted and before
// it is served; it reports whether to serve the connection. nil serves each.
func New(address string, inMemory bool, serve func(net.Listener), admit func(*Connection) bool) *Listener {
	return &Listener{address: address, inMemory: inMemory, serve: serve, admit: admit}
}

// Open listens, unless the listener is suspended or closed.
func (l *Listener) Open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.inner != nil || len(l.suspensions) > 0 {
		return nil
	}
	var inner net.Listener = newPipeListener()
	if !l.inMemory {
		var err error
		if inner, err = net.Listen("tcp", l.address); err != nil {
			return err
		}
		l.address = inner.Addr().String()
	}
	l.reservation.release()
	l.reservation = nil
	l.inner = inner
	l.done.Go(func() { l.serve(&trackingListener{inner, l}) })
	return nil
}

// Suspend refuses new connections. The returned function closes the existing
// ones; until it is called, their clients do not notice.
func (l *Listener) Suspend(suspension *Suspension) (closeConnections func()) {
	held := l.reservePort()
	l.mu.Lock()
	if l.reservation == nil && !l.closed {
		l.reservation, held = held, nil
	}
	if l.suspensions == nil {
		l.suspensions = map[*Suspension]bool{}
	}
	l.suspensions[suspension] = true
	connections := l.stopListening()
	l.mu.Unlock()
	held.release()
	return func() {
		for _, conn := range connections {
			conn.Close()
		}
	}
}

// Resume ends a suspension. It retries while the address is taken.
func (l *Listener) Resume(suspension *Suspension) {
	l.mu.Lock()
	delete(l.suspensions, suspension)
	l.mu.Unlock()
	if err := l.Open(); err != nil {
		time.AfterFunc(reopenInterval, func() { l.Resume(suspension) })
	}
}

// stopListening closes the net.Listener and returns the open connections. mu is
// held.
func (l *Listener) stopListening() (connections []*Connection) {
	if l.inner != nil {
		l.inner.Close()
		l.inner = nil
	}
	for conn := range l.connections {
		connections = append(connections, conn)
	}
	return connections
}

// Close ends all connections, and waits until accepting has ended.
func (l *Listener) Close() {
	l.mu.Lock()
	l.closed = true
	l.reservation.release()
	l.reservation = nil
	connections := l.stopListening()
	l.mu.Unlock()
	for _, conn := range connections {
		conn.Close()
	}
	l.done.Wait()
}

// IsOpen reports whether connections are accepted.
func (l *Listener) IsOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inner != nil
}

// DialAddress returns the address to dial, for a URL.
func (l *Listener) DialAddress() string {
	if l.inMemory {
		return pipeAddress{}.String()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return dialAddress(l.address)
}

// Dial connects to the server.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	if l.inMemory {
		return l.dialPipe(ctx)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", l.DialAddress())
}

// dialPipe connects without a socket.
func (l *Listener) dialPipe(ctx context.Context) (net.Conn, error) {
	l.mu.Lock()
	pipes, open := l.inner.(*pipeListener)
	l.mu.Unlock()
	if !open {
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: pipeAddress{}, Err: syscall.ECONNREFUSED}
	}
	return pipes.dial(ctx)
}

// track registers a connection, unless the listener was suspended in the
// meantime.
func (l *Listener) track(conn net.Conn, accepting net.Listener) (*Connection, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inner != accepting {
		return nil, fmt.Errorf("the listener is suspended: %w", net.ErrClosed)
	}
	if l.connections == nil {
		l.connections = map[*Connection]bool{}
	}
	in := &Connection{Conn: conn, owner: l, closed: make(chan struct{})}
	l.connections[in] = true
	return in, nil
}

// EachConnection calls f with every open connection.
func (l *Listener) EachConnection(f func(*Connection)) {
	l.mu.Lock()
	connections := slices.Collect(maps.Keys(l.connections))
	l.mu.Unlock()
	for _, conn := range connections {
		f(conn)
	}
}

func (l *Listener) untrack(conn *Connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.connections, conn)
}

// trackingListener is a net.Listener that registers its connections with the
// owner.
type trackingListener struct {
	net.Listener
	owner *Listener
}

// Accept implements net.Listener.
func (l *trackingListener) Accept() (net.Conn, error) {
	for {
		in, err := l.accept()
		if err != nil {
			return nil, err
		}
		if l.owner.admit == nil || l.owner.admit(in) {
			return in, nil
		}
	}
}

// accept waits for a client's connection, and registers it.
func (l *trackingListener) accept() (*Connection, error) {
	conn, err := l.Listener.Accept()
	for err == nil && l.owner.divert(conn) {
		conn, err = l.Listener.Accept()
	}
	if err != nil {
		return nil, err
	}
	in, err := l.owner.track(conn, l.Listener)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return in, nil
}

// DialAddress returns the address to dial for an address to listen on. A server
// that listens on all addresses is dialed at 127.0.0.1.
func dialAddress(address string) string {
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", at.Port())
	}
	return address
}
