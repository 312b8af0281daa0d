package transport

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// goaway is a server that ends its first connections with GOAWAY before any
// response.
type goaway struct {
	net.Listener
	rejects  int64
	accepted atomic.Int64
	ended    sync.WaitGroup
}

// Frames of HTTP/2: empty settings, and a GOAWAY before any stream.
var (
	settingsFrame = []byte{0, 0, 0, 4, 0, 0, 0, 0, 0}
	goawayFrame   = []byte{0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
)

// Accept rejects the first connections and returns the later ones.
func (g *goaway) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil || g.accepted.Add(1) > g.rejects {
			return conn, err
		}
		g.ended.Go(func() {
			defer conn.Close()
			if conn.(*tls.Conn).Handshake() == nil {
				_, _ = conn.Write(append(settingsFrame[:9:9], goawayFrame...))
				_, _ = io.Copy(io.Discard, conn)
			}
		})
	}
}

// connectedToRejecting returns a connection to an HTTP/2 server that rejects the given
// number of connections.
func connectedToRejecting(t *testing.T, rejects int64) (*Connection, *goaway) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "served")
	}))
	server.EnableHTTP2 = true
	listener := &goaway{rejects: rejects}
	server.StartTLS()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	server.Close()
	config := server.TLS.Clone()
	inner, err := tls.Listen("tcp", "127.0.0.1:0", config)
	require.NoError(t, err)
	listener.Listener = inner
	serving := &http.Server{Handler: server.Config.Handler}
	var done sync.WaitGroup
	done.Go(func() { _ = serving.Serve(listener) })
	conn, err := New(&Config{Base: address("https://" + inner.Addr().String()), TLS: TLSConfig{CAData: authority, ServerName: "example.com"}})
	require.NoError(t, err)
	t.Cleanup(func() {
		conn.Close()
		_ = serving.Close()
		done.Wait()
		listener.ended.Wait()
	})
	return conn, listener
}

// net/http repeats a request, without a delay or a limit, when the server ends the
// connection with GOAWAY. If the server does so for every connection, the request
// fails after a bounded number of connections.
func TestAServerThatRejectsEveryHTTP2ConnectionIsAFailure(t *testing.T) {
	conn, server := connectedToRejecting(t, 1<<60)
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "GOAWAY")
	accepted := server.accepted.Load()
	// A dial continues for a while after its request has ended.
	require.Less(t, accepted, int64(2*maxHandshakes))

	_, err = conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), true)
	require.ErrorContains(t, err, "GOAWAY")
	require.Less(t, server.accepted.Load()-accepted, int64(2*maxHandshakes))
}

// A server rejects a few connections while it restarts. No request fails because of
// that.
func TestAFewRejectedHTTP2ConnectionsAreNoFailure(t *testing.T) {
	conn, server := connectedToRejecting(t, 3)
	_, body := get(t, conn, "/")
	require.Equal(t, "served", body, "the context of the request is valid until its response is closed")
	require.EqualValues(t, 4, server.accepted.Load())
}

// For a moment after the loss of an HTTP/2 connection, net/http returns that
// connection from its pool again and again. A request that starts then is sent on
// another connection.
func TestARequestRightAfterALostConnectionSucceeds(t *testing.T) {
	var received, watching atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received.Add(1)
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	conn := connected(t, Config{Base: address(server.URL), TLS: TLSConfig{CAData: authority, ServerName: "example.com"}})

	const watches, losses = 20, 20
	var running sync.WaitGroup
	watching.Store(watches)
	for range watches {
		running.Go(func() {
			defer watching.Add(-1)
			for range losses {
				response, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), true)
				if err != nil && strings.Contains(err.Error(), errGoAway.Error()) {
					t.Error(err)
				}
				if err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
			}
		})
	}
	// The connections are closed only while all watches are open, so that a request loses
	// fewer connections than the bound also if its handshakes are slow.
	for lastClose := int64(0); watching.Load() > 0; {
		if now := received.Load(); now-lastClose >= watching.Load() {
			lastClose = now
			server.CloseClientConnections()
		}
		<-time.After(time.Millisecond)
	}
	running.Wait()
}
