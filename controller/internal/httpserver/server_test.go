package httpserver

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pipeListener is a listener in memory.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	if conn, ok := <-l; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l pipeListener) Close() error   { close(l); return nil }
func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }

// testServer is a running Server.
type testServer struct {
	*http.ServeMux
	t        *testing.T
	listener pipeListener
}

// runServer runs test in a bubble, with a server that has at most 5 connections.
func runServer(t *testing.T, test func(testServer)) {
	synctest.Test(t, func(t *testing.T) {
		s := testServer{http.NewServeMux(), t, make(pipeListener)}
		s.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
		server := New(s.listener, s, Options{MaxConnections: 5, Logger: slog.New(slog.DiscardHandler)})
		ended := make(chan error)
		go func() { ended <- server.Serve() }()
		test(s)
		server.Stop(time.Second)
		require.NoError(t, <-ended)
	})
}

// dial returns a new connection that the server has accepted.
func (s testServer) dial() net.Conn {
	client, server := net.Pipe()
	s.listener <- server
	s.t.Cleanup(func() { client.Close() })
	synctest.Wait()
	return client
}

// send sends a request on a new connection.
func (s testServer) send(request string) net.Conn {
	conn := s.dial()
	_, err := fmt.Fprint(conn, request)
	require.NoError(s.t, err)
	synctest.Wait()
	return conn
}

func (s testServer) response(conn net.Conn) (code, size int) {
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(s.t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return response.StatusCode, len(body)
}

// get requests a path on a new connection.
func (s testServer) get(path string) (code, size int) {
	return s.response(s.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
}

// At the limit, a new connection closes the one that has been idle longest, so that a
// probe gets a response while other clients keep connections open. If all have a request,
// the new connection is closed.
func TestConnectionsAreLimited(t *testing.T) {
	runServer(t, func(s testServer) {
		release := make(chan struct{})
		s.HandleFunc("/wait", func(http.ResponseWriter, *http.Request) { <-release })
		idle := make([]net.Conn, 20)
		for i := range idle {
			idle[i] = s.dial()
			time.Sleep(time.Millisecond)
		}
		_, err := idle[14].Read(make([]byte, 1))
		require.ErrorIs(s.t, err, io.EOF, "the oldest connections are closed")
		code, _ := s.get("/healthz")
		require.Equal(s.t, 200, code)

		busy := make([]net.Conn, 5)
		for i := range busy {
			busy[i] = s.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
		_, err = s.dial().Read(make([]byte, 1))
		require.ErrorIs(s.t, err, io.EOF, "all connections have a request")
		close(release)
		code, _ = s.response(busy[0])
		require.Equal(s.t, 200, code, "a request in progress continues")
	})
}

// A client that announces a body and does not send it loses its connection. A handler
// that has read the body has no time limit.
func TestUnsentBodyReleasesTheConnection(t *testing.T) {
	runServer(t, func(s testServer) {
		s.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			assert.NoError(s.t, err)
			time.Sleep(time.Minute)
			assert.NoError(s.t, r.Context().Err())
		})
		for range 5 {
			s.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
		}
		time.Sleep(25 * time.Second) // the clients do not read the response either
		synctest.Wait()
		code, _ := s.get("/healthz")
		require.Equal(s.t, 200, code)
		code, _ = s.response(s.send("POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nok"))
		require.Equal(s.t, 200, code)
	})
}

// A client that does not read the response loses its connection. A handler that waits
// before it writes has no time limit.
func TestUnreadResponseEndsTheWrite(t *testing.T) {
	runServer(t, func(s testServer) {
		failed := make(chan error, 1)
		s.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write(make([]byte, 1<<20))
			failed <- err
		})
		s.HandleFunc("/late", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(10 * time.Minute)
			_, _ = w.Write(make([]byte, 1<<20))
		})
		s.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
		began := time.Now()
		require.Error(s.t, <-failed)
		require.Less(s.t, time.Since(began), time.Minute)

		code, size := s.get("/late")
		require.Equal(s.t, 200, code)
		require.Equal(s.t, 1<<20, size)
	})
}
