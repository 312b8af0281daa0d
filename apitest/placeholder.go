package apitest

import (
	"net"
	"time"
)

// placeholder is a connection of the door with itself that keeps its port while
// nobody listens there. A port that nothing uses is given to the next program
// that asks for any, and the door could not be opened again.
type placeholder struct{ ours, theirs net.Conn }

// holdPort makes a placeholder through the listener, which still accepts. None
// is made where that does not work: the port may be lost then, not the door.
func (d *door) holdPort() *placeholder {
	d.mu.Lock()
	if d.inMemory || d.listener == nil || d.holding != nil {
		d.mu.Unlock()
		return nil
	}
	arrivals := make(chan net.Conn, 16)
	d.holding = arrivals
	address := d.address
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.holding = nil
		d.mu.Unlock()
		for len(arrivals) > 0 {
			(<-arrivals).Close()
		}
	}()
	const patience = time.Second
	ours, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return nil
	}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		select {
		case theirs := <-arrivals:
			if theirs.RemoteAddr().String() == ours.LocalAddr().String() {
				return &placeholder{ours, theirs}
			}
			theirs.Close() // a client that came too late
		case <-timeout.C:
			ours.Close()
			return nil
		}
	}
}

// setsAside is whether a connection is not a client's while a placeholder is
// being made.
func (d *door) setsAside(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.holding == nil {
		return false
	}
	select {
	case d.holding <- conn:
	default:
		conn.Close()
	}
	return true
}

// release gives the port up.
func (p *placeholder) release() {
	if p == nil {
		return
	}
	for _, conn := range []net.Conn{p.ours, p.theirs} {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // or the port stays busy for minutes
		}
		conn.Close()
	}
}
