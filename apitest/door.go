package apitest

import (
	"context"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"
)

// reopenEvery is how long a door waits before it tries again to listen at its
// address, which somebody else may have taken meanwhile.
const reopenEvery = 50 * time.Millisecond

// door is where connections come in. It can be shut, so that clients are
// refused, and is opened again at the same address.
type door struct {
	// serve accepts connections until the listener is closed.
	serve    func(net.Listener)
	inMemory bool

	mu sync.Mutex
	// address is what was asked for, and the one that was given once it is open.
	address string
	// listener is nil while the door is shut.
	listener net.Listener
	// shut holds who keeps it shut: it is open when this is empty.
	shut map[*shutter]bool
	// held keeps the port while the door is shut; nil if it is open.
	held *placeholder
	// holding takes the connections that come while held is made.
	holding chan net.Conn
	closed  bool // for good
	inside  map[*connection]bool
	done    sync.WaitGroup // of serve
}

// shutter is one reason to keep a door shut.
type shutter struct{ _ byte }

// open listens, unless somebody keeps the door shut.
func (d *door) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.listener != nil || len(d.shut) > 0 {
		return nil
	}
	var listener net.Listener = newPipeListener()
	if !d.inMemory {
		var err error
		if listener, err = net.Listen("tcp", d.address); err != nil {
			return err
		}
		d.address = listener.Addr().String()
	}
	d.held.release()
	d.held = nil
	d.listener = listener
	d.done.Go(func() { d.serve(&doorway{listener, d}) })
	return nil
}

// keepShut refuses who comes. What is returned cuts those off who are inside:
// until then none of them knows.
func (d *door) keepShut(by *shutter) (cut func()) {
	held := d.holdPort()
	d.mu.Lock()
	if d.held == nil && !d.closed {
		d.held, held = held, nil
	}
	if d.shut == nil {
		d.shut = map[*shutter]bool{}
	}
	d.shut[by] = true
	inside := d.clear()
	d.mu.Unlock()
	held.release()
	return func() {
		for _, conn := range inside {
			conn.Close()
		}
	}
}

// letOpen is the end of keepShut. It goes on trying where the address is taken.
func (d *door) letOpen(by *shutter) {
	d.mu.Lock()
	delete(d.shut, by)
	d.mu.Unlock()
	if err := d.open(); err != nil {
		time.AfterFunc(reopenEvery, func() { d.letOpen(by) })
	}
}

// clear closes the listener and says who was inside. mu is held.
func (d *door) clear() (inside []*connection) {
	if d.listener != nil {
		d.listener.Close()
		d.listener = nil
	}
	for conn := range d.inside {
		inside = append(inside, conn)
	}
	return inside
}

// close ends all connections, and waits until no other is accepted.
func (d *door) close() {
	d.mu.Lock()
	d.closed = true
	d.held.release()
	d.held = nil
	inside := d.clear()
	d.mu.Unlock()
	for _, conn := range inside {
		conn.Close()
	}
	d.done.Wait()
}

// isOpen is whether connections are accepted.
func (d *door) isOpen() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.listener != nil
}

// dial is the way in where there is no socket.
func (d *door) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	d.mu.Lock()
	pipes, open := d.listener.(*pipeListener)
	d.mu.Unlock()
	if !open {
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: pipeAddress{}, Err: syscall.ECONNREFUSED}
	}
	return pipes.dial(ctx)
}

// admit lets a connection in, unless the door was shut meanwhile.
func (d *door) admit(conn net.Conn, through net.Listener) (*connection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.listener != through {
		return nil, fmt.Errorf("the door is shut: %w", net.ErrClosed)
	}
	if d.inside == nil {
		d.inside = map[*connection]bool{}
	}
	in := &connection{Conn: conn, door: d, gone: make(chan struct{})}
	d.inside[in] = true
	return in, nil
}

func (d *door) leave(conn *connection) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.inside, conn)
}

// doorway is a listener whose connections are known to the door.
type doorway struct {
	net.Listener
	door *door
}

// Accept is of net.Listener.
func (w *doorway) Accept() (net.Conn, error) {
	conn, err := w.Listener.Accept()
	for err == nil && w.door.setsAside(conn) {
		conn, err = w.Listener.Accept()
	}
	if err != nil {
		return nil, err
	}
	in, err := w.door.admit(conn, w.Listener)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return in, nil
}
