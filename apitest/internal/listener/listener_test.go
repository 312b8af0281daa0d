package listener

import (
	"net"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// A connection that two faults have frozen continues after both are removed.
func TestFreezesCompose(t *testing.T) {
	for _, lifts := range [][2]int{{0, 1}, {1, 0}} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			conn := &Connection{Conn: ours, owner: new(Listener), closed: make(chan struct{})}
			var until [2]chan struct{}
			for i := range until {
				until[i] = make(chan struct{})
				conn.Freeze(until[i])
			}
			read := make(chan bool, 1)
			go func() {
				_, err := theirs.Read(make([]byte, 1))
				read <- err == nil
			}()
			go conn.Write([]byte("x"))
			close(until[lifts[0]])
			synctest.Wait()
			require.Empty(t, read)
			close(until[lifts[1]])
			require.True(t, <-read)
			conn.Freeze(make(chan struct{}))
			go conn.Write([]byte("y"))
			synctest.Wait()
			conn.Close() // no write waits any longer
		})
	}
}

// A suspended listener keeps its port with a connection to itself, so that the
// system gives the port to no other program. It releases the port when it listens
// again, and when it is closed.
func TestSuspendedListenerKeepsItsPort(t *testing.T) {
	served := func(accepting net.Listener) {
		for {
			conn, err := accepting.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}
	l := New("127.0.0.1:0", false, served, nil)
	require.NoError(t, l.Open())
	stopped := new(Suspension)
	l.Suspend(stopped)()
	require.NotNil(t, l.reservation)
	_, err := l.Dial(t.Context())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	l.Resume(stopped)
	require.Nil(t, l.reservation)
	conn, err := l.Dial(t.Context())
	require.NoError(t, err)
	conn.Close()
	l.Suspend(stopped)()
	require.NotNil(t, l.reservation)
	l.Close()
	require.Nil(t, l.reservation)
}
