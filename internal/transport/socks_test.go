package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// socks responds to the messages of a SOCKS5 client, one reply for each, and then
// serves HTTP as the server behind the proxy.
func socks(conn net.Conn, replies ...string) {
	defer conn.Close()
	buffer := make([]byte, 4096)
	for _, reply := range replies {
		if _, err := conn.Read(buffer); err != nil {
			return
		}
		for i := range len(reply) { // one byte at a time
			if _, err := io.WriteString(conn, reply[i:i+1]); err != nil {
				return
			}
		}
	}
	for len(replies) > 0 {
		if _, err := conn.Read(buffer); err != nil {
			return
		}
		time.Sleep(time.Hour) // a response may take any time
		if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil {
			return
		}
	}
	_, _ = io.Copy(io.Discard, conn)
}

func TestRequestsGoThroughASOCKS5Proxy(t *testing.T) {
	const ipv4, port = "\x05\x00\x00\x01\x01\x02\x03\x04", "\x00\x50"
	for name, replies := range map[string][]string{
		"IPv4":     {"\x05\x00", ipv4 + port},
		"IPv6":     {"\x05\x00", "\x05\x00\x00\x04" + "0123456789abcdef" + port},
		"name":     {"\x05\x00", "\x05\x00\x00\x03\x05proxy" + port},
		"password": {"\x05\x02", "\x01\x00", ipv4 + port},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := connected(t, Config{
					Base: address("http://server"), Proxy: http.ProxyURL(&url.URL{Scheme: "socks5h", Host: "proxy", User: url.UserPassword("u", "p")}),
					Dial: func(_ context.Context, _, address string) (net.Conn, error) {
						require.Equal(t, "proxy:1080", address)
						client, server := net.Pipe()
						go socks(server, replies...)
						return client, nil
					},
				}, func(t *timeouts) { t.idle = 24 * time.Hour })
				for range 2 { // both on one connection
					begun := time.Now()
					_, body := get(t, conn, "/")
					require.Equal(t, "ok", body)
					require.Equal(t, time.Hour, time.Since(begun))
				}
				conn.Close()
			})
		})
	}
}

func TestACancelledConnectToASilentSOCKS5ProxyLeaksNothing(t *testing.T) {
	for name, replies := range map[string][]string{"from the start": nil, "halfway": {"\x05\x00", "\x05\x00\x00"}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				served := make(chan struct{})
				conn := connected(t, Config{
					Base: address("http://server"), Proxy: http.ProxyURL(&url.URL{Scheme: "socks5", Host: "proxy:1"}),
					Dial: func(context.Context, string, string) (net.Conn, error) {
						client, server := net.Pipe()
						go func() {
							defer close(served)
							socks(server, replies...)
							_, _ = io.Copy(io.Discard, server)
						}()
						return client, nil
					},
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				begun := time.Now()
				_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", "").WithContext(ctx), false)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				<-served
				require.Equal(t, defaultTimeouts.handshake, time.Since(begun))
				conn.Close()
			})
		})
	}
}

func TestTheErrorNamesASilentSOCKS5Proxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := connected(t, Config{
			Base: address("http://server"), Proxy: http.ProxyURL(&url.URL{Scheme: "socks5", Host: "proxy:1"}),
			Dial: func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				go socks(server)
				return client, nil
			},
		})
		_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		require.ErrorContains(t, err, errSOCKSTimeout.Error())
		conn.Close()
	})
}

// A dial for a request that has ended continues, but has a limit.
func TestADialThatTakesTooLongEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := errors.New("ended")
		dials := make(chan time.Duration, 3)
		conn := connected(t, Config{Base: address("http://server"), Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			begun := time.Now()
			<-ctx.Done()
			dials <- time.Since(begun)
			return nil, ended
		}})
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", "").WithContext(ctx), false)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		for range 3 {
			require.Equal(t, defaultTimeouts.dial, <-dials)
		}
		conn.Close()
	})
}

// Close waits for a dial even if all other connections of its generation are gone.
func TestCloseWaitsForADialOfReplacedCertificates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := false
		conn := connected(t, Config{Base: address("http://server"), Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			over = true
			return nil, ctx.Err()
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", "").WithContext(ctx), false)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		conn.transports.setCertificate(nil) // a new generation of connections
		conn.Close()
		require.True(t, over)
	})
}
