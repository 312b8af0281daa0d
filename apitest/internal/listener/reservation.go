package listener

import (
	"net"
	"time"
)

// portReservation is a connection of the server with itself that keeps its port
// while the server does not listen. Otherwise the system may give the port to
// another program, and the server could not listen again.
type portReservation struct{ client, server net.Conn }

// reservePort makes a reservation through the listener, which still accepts. It
// returns nil if that fails: the port may then be lost.
func (l *Listener) reservePort() *portReservation {
	l.mu.Lock()
	if l.inMemory || l.inner == nil || l.reserving != nil {
		l.mu.Unlock()
		return nil
	}
	arrivals := make(chan net.Conn, 16)
	l.reserving = arrivals
	address := l.address
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.reserving = nil
		l.mu.Unlock()
		for len(arrivals) > 0 {
			(<-arrivals).Close()
		}
	}()
	const timeout = time.Second
	client, err := net.DialTimeout("tcp", address, timeout)
	if err != nil {
		return nil
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		select {
		case server := <-arrivals:
			if server.RemoteAddr().String() == client.LocalAddr().String() {
				return &portReservation{client, server}
			}
			server.Close() // a client that connected too late
		case <-timer.C:
			client.Close()
			return nil
		}
	}
}

// divert reports whether a connection was taken because a reservation is being
// made. Such a connection is not served.
func (l *Listener) divert(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reserving == nil {
		return false
	}
	select {
	case l.reserving <- conn:
	default:
		conn.Close()
	}
	return true
}

// release releases the port.
func (p *portReservation) release() {
	if p == nil {
		return
	}
	for _, conn := range []net.Conn{p.client, p.server} {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // otherwise the port stays in use for minutes
		}
		conn.Close()
	}
}
