package debug

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Over loopback, the handler and CheckHost refuse the DNS names of web sites.
func TestHostIsCheckedOnLoopback(t *testing.T) {
	page := New(Options{Hosts: []string{"Proxy.example.com:80"}})
	wrapped := CheckHost(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }), "proxy.example.com")
	for _, h := range []http.Handler{page, wrapped} {
		request := func(local net.Addr, host string) int {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = host
			if local != nil {
				r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code
		}
		v4 := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
		v6 := &net.TCPAddr{IP: net.IPv6loopback, Port: 8080}
		for _, host := range []string{"", "localhost", "localhost:8080", "LOCALHOST.", "a.localhost:1", "127.0.0.1:8080", "[::1]:8080", "[::1]", "10.0.0.1", "proxy.example.com", "PROXY.example.com.:8080"} {
			require.Equal(t, 200, request(v4, host), host)
			require.Equal(t, 200, request(v6, host), host)
		}
		for _, host := range []string{"evil.example.com", "evil.example.com:8080", "localhost.example.com", "127.0.0.1.nip.io", "notlocalhost", "\x1b[1m"} {
			require.Equal(t, 403, request(v4, host), host)
			require.Equal(t, 403, request(v6, host), host)
			require.Equal(t, 200, request(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}, host), "names of a non-loopback address")
			require.Equal(t, 200, request(nil, host), "unknown local address")
			require.Equal(t, 200, request(&net.UnixAddr{Name: "/run/x", Net: "unix"}, host), "Unix socket")
		}
	}
}
