package transport

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/tlstest"
)

// Each watch occupies a connection or a stream as long as it lasts.
func TestWatchesDoNotStarveOtherRequests(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	const watches = 30
	for name, change := range map[string]func(*httptest.Server){
		"HTTP/1.1": tlstest.HTTP1,
		"HTTP/2, few streams": func(s *httptest.Server) {
			s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 4}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			remotes := map[string]map[string]bool{"long": {}, "short": {}}
			note := func(kind, remote string) {
				mu.Lock()
				defer mu.Unlock()
				remotes[kind][remote] = true
			}
			server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/watch" {
					note("long", r.RemoteAddr)
					serveUntilHangUp(w, r, "on")
					return
				}
				note("short", r.RemoteAddr)
			}, change)
			conn := connected(t, Config{Base: address(server.URL), TLS: TLSConfig{CAData: ca.PEM}})
			for range watches {
				first, _ := watchLine(t, conn, "/watch")
				require.Equal(t, "on", first)
			}
			for range 3 {
				status, _ := get(t, conn, "/")
				require.Equal(t, http.StatusOK, status)
			}
			mu.Lock()
			defer mu.Unlock()
			for remote := range remotes["short"] {
				require.False(t, remotes["long"][remote], "a short request used a connection of watches")
			}
			require.Len(t, remotes["short"], 1, "short requests reuse their connection")
			conn.Close() // before the server is closed, which waits for its handlers
		})
	}
}

// A peer that has disappeared without closing the connection, for example behind a
// NAT that has dropped it, is detected by a ping without a response.
func TestADeadHTTP2ConnectionIsDetected(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	server := ca.Serve(func(w http.ResponseWriter, r *http.Request) { serveUntilHangUp(w, r, "on") })
	var silent atomic.Bool
	conn := connected(t, Config{
		Base: address(server.URL), TLS: TLSConfig{CAData: ca.PEM},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			return &blackholeConn{conn, &silent}, err
		},
	}, func(t *timeouts) { t.pingInterval, t.pingTimeout = 20*time.Millisecond, 20*time.Millisecond })
	_, body := watchLine(t, conn, "/watch")
	silent.Store(true)
	_, err := body.Read(make([]byte, 1))
	require.ErrorContains(t, err, "client connection lost")
	silent.Store(false)
	_, _ = watchLine(t, conn, "/watch") // on another connection
	conn.Close()
}

// blackholeConn is a connection that discards the bytes written to it.
type blackholeConn struct {
	net.Conn
	on *atomic.Bool
}

func (s *blackholeConn) Write(p []byte) (int, error) {
	if s.on.Load() {
		return len(p), nil
	}
	return s.Conn.Write(p)
}
