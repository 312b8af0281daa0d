package rest

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
)

// Watches hold a connection each, or a stream each, for as long as they last.
func TestWatchesDoNotStarveOtherRequests(t *testing.T) {
	ca := newAuthority(t, "ca")
	const watches = 30
	for name, change := range map[string]func(*httptest.Server){
		"HTTP/1.1": http1,
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
			server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/watch" {
					note("long", r.RemoteAddr)
					keepTalking(w, r, "on")
					return
				}
				note("short", r.RemoteAddr)
			}, change)
			conn := connected(t, Config{Host: server.URL, TLS: TLSConfig{CAData: ca.pem}})
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
				require.False(t, remotes["long"][remote], "a short request went over a connection of watches")
			}
			require.Len(t, remotes["short"], 1, "short requests use their connection again")
			conn.close() // before the server, which waits for its handlers
		})
	}
}

// A peer that is gone without a word, such as behind a NAT that has forgotten
// the connection, is found by a ping that nobody answers.
func TestADeadHTTP2ConnectionIsFound(t *testing.T) {
	ca := newAuthority(t, "ca")
	server := ca.serve(func(w http.ResponseWriter, r *http.Request) { keepTalking(w, r, "on") })
	var silent atomic.Bool
	conn := connected(t, Config{
		Host: server.URL, TLS: TLSConfig{CAData: ca.pem},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			return &silenced{conn, &silent}, err
		},
	}, func(t *timing) { t.ping, t.pong = 20*time.Millisecond, 20*time.Millisecond })
	_, body := watchLine(t, conn, "/watch")
	silent.Store(true)
	_, err := body.Read(make([]byte, 1))
	require.ErrorContains(t, err, "client connection lost")
	silent.Store(false)
	_, _ = watchLine(t, conn, "/watch") // on another connection
	conn.close()
}

// silenced is a connection whose written bytes get lost on the way.
type silenced struct {
	net.Conn
	on *atomic.Bool
}

func (s *silenced) Write(p []byte) (int, error) {
	if s.on.Load() {
		return len(p), nil
	}
	return s.Conn.Write(p)
}
