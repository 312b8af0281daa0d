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
func (d *Listener) Open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.inner != nil || len(d.suspensions) > 0 {
		return nil
	}
	var inner net.Listener = newPipeListener()
	if !d.inMemory {
		var err error
		if inner, err = net.Listen("tcp", d.address); err != nil {
			return err
		}
		d.address = inner.Addr().String()
	}
	d.reservation.release()
	d.reservation = nil
	d.inner = inner
	d.done.Go(func() { d.serve(&trackingListener{inner, d}) })
	return nil
}

// Suspend refuses new connections. The returned function closes the existing
// ones; until it is called, their clients do not notice.
func (d *Listener) Suspend(suspension *Suspension) (closeConnections func()) {
	held := d.reservePort()
	d.mu.Lock()
	if d.reservation == nil && !d.closed {
		d.reservation, held = held, nil
	}
	if d.suspensions == nil {
		d.suspensions = map[*Suspension]bool{}
	}
	d.suspensions[suspension] = true
	connections := d.stopListening()
	d.mu.Unlock()
	held.release()
	return func() {
		for _, conn := range connections {
			conn.Close()
		}
	}
}

// Resume ends a suspension. It retries while the address is taken.
func (d *Listener) Resume(suspension *Suspension) {
	d.mu.Lock()
	delete(d.suspensions, suspension)
	d.mu.Unlock()
	if err := d.Open(); err != nil {
		time.AfterFunc(reopenInterval, func() { d.Resume(suspension) })
	}
}

// stopListening closes the net.Listener and returns the open connections. mu is
// held.
func (d *Listener) stopListening() (connections []*Connection) {
	if d.inner != nil {
		d.inner.Close()
		d.inner = nil
	}
	for conn := range d.connections {
		connections = append(connections, conn)
	}
	return connections
}

// Close ends all connections, and waits until accepting has ended.
func (d *Listener) Close() {
	d.mu.Lock()
	d.closed = true
	d.reservation.release()
	d.reservation = nil
	connections := d.stopListening()
	d.mu.Unlock()
	for _, conn := range connections {
		conn.Close()
	}
	d.done.Wait()
}

// IsOpen reports whether connections are accepted.
func (d *Listener) IsOpen() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inner != nil
}

// DialAddress returns the address to dial, for a URL.
func (d *Listener) DialAddress() string {
	if d.inMemory {
		return pipeAddress{}.String()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return dialAddress(d.address)
}

// Dial connects to the server.
func (d *Listener) Dial(ctx context.Context) (net.Conn, error) {
	if d.inMemory {
		return d.dialPipe(ctx)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", d.DialAddress())
}

// dialPipe connects without a socket.
func (d *Listener) dialPipe(ctx context.Context) (net.Conn, error) {
	d.mu.Lock()
	pipes, open := d.inner.(*pipeListener)
	d.mu.Unlock()
	if !open {
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: pipeAddress{}, Err: syscall.ECONNREFUSED}
	}
	return pipes.dial(ctx)
}

// track registers a connection, unless the listener was suspended in the
// meantime.
func (d *Listener) track(conn net.Conn, accepting net.Listener) (*Connection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inner != accepting {
		return nil, fmt.Errorf("the listener is suspended: %w", net.ErrClosed)
	}
	if d.connections == nil {
		d.connections = map[*Connection]bool{}
	}
	in := &Connection{Conn: conn, owner: d, closed: make(chan struct{})}
	d.connections[in] = true
	return in, nil
}

// EachConnection calls f with every open connection.
func (d *Listener) EachConnection(f func(*Connection)) {
	d.mu.Lock()
	connections := slices.Collect(maps.Keys(d.connections))
	d.mu.Unlock()
	for _, conn := range connections {
		f(conn)
	}
}

func (d *Listener) untrack(conn *Connection) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.connections, conn)
}

// trackingListener is a net.Listener that registers its connections with the
// owner.
type trackingListener struct {
	net.Listener
	owner *Listener
}

// Accept implements net.Listener.
func (w *trackingListener) Accept() (net.Conn, error) {
	for {
		in, err := w.accept()
		if err != nil {
			return nil, err
		}
		if w.owner.admit == nil || w.owner.admit(in) {
			return in, nil
		}
	}
}

// accept waits for a client's connection, and registers it.
func (w *trackingListener) accept() (*Connection, error) {
	conn, err := w.Listener.Accept()
	for err == nil && w.owner.divert(conn) {
		conn, err = w.Listener.Accept()
	}
	if err != nil {
		return nil, err
	}
	in, err := w.owner.track(conn, w.Listener)
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
