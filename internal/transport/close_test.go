package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/tlstest"
)

func TestCloseEndsAllRequestsAndWaitsForThem(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": tlstest.HTTP1, "HTTP/2": func(*httptest.Server) {}} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{}, 1)
			server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/watch" {
					serveUntilHangUp(w, r, "on")
					return
				}
				arrived <- struct{}{}
				<-r.Context().Done()
			}, change)
			dialling := make(chan struct{})
			var open, dials atomic.Int32
			conn := connected(t, Config{
				Base: address(server.URL), TLS: TLSConfig{CAData: ca.PEM},
				Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
					if dials.Add(1) == 3 {
						close(dialling)
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return countingDial(&open)(ctx, network, address)
				},
			})
			_, body := watchLine(t, conn, "/watch")
			failed := make(chan error)
			waiting := func(long bool) {
				response, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), long)
				if err == nil {
					response.Body.Close()
				}
				failed <- err
			}
			go waiting(false) // the second connection
			<-arrived
			pending := 1
			if name == "HTTP/1.1" {
				go waiting(false) // the third, which is never established
				<-dialling
				pending++
			}
			conn.Close()
			require.Zero(t, open.Load(), "connections are open")
			for range pending {
				require.ErrorIs(t, <-failed, ErrClosed)
			}
			_, err := body.Read(make([]byte, 1))
			require.ErrorIs(t, err, ErrClosed)
			_, err = conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
			require.ErrorIs(t, err, ErrClosed)
			conn.Close() // close is idempotent
		})
	}
}

// countingDial counts the open connections.
func countingDial(open *atomic.Int32) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		open.Add(1)
		return &countedConn{Conn: conn, open: open}, nil
	}
}

// countedConn is a connection that is counted until it is closed.
type countedConn struct {
	net.Conn
	open *atomic.Int32
	once sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

func TestAContextEndsItsRequestAndTheBody(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	arrived := make(chan struct{})
	server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/watch" {
			serveUntilHangUp(w, r, "on")
			return
		}
		close(arrived)
		<-r.Context().Done()
	})
	conn := connected(t, Config{Base: address(server.URL), TLS: TLSConfig{CAData: ca.PEM}})
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	response, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/watch", "").WithContext(ctx), true)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, "on", line(t, response.Body))
	failed := make(chan error)
	go func() {
		_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", "").WithContext(ctx), false)
		failed <- err
	}()
	<-arrived
	cancel(why)
	err = <-failed
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, why)
	_, err = response.Body.Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled)
}

// After a 101 response, net/http returns the raw connection. Neither the context of
// the request nor its end closes that connection.
func TestAConnectionThatSwitchesProtocolsIsClosed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var served sync.WaitGroup
	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 4096))
				fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello")
				_, _ = io.Copy(io.Discard, conn) // until the client hangs up
			})
		}
	})
	conn, err := New(&Config{Base: address("http://" + listener.Addr().String())})
	require.NoError(t, err)
	for _, long := range []bool{false, true} {
		_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), long)
		require.ErrorContains(t, err, "switches protocols (101)")
	}
	_, err = conn.Do(newRequestFor(t, conn, http.MethodPost, "/x", "{}"), false)
	require.ErrorContains(t, err, "switches protocols (101)")
	require.NoError(t, listener.Close())
	served.Wait() // before the connection is closed
	conn.Close()
}

// In a synctest bubble no request may wait for a lock while another writes to its
// connection: that would stop the fake clock.
func TestHTTP1OverAPipeWorksInASynctestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{accept: make(chan net.Conn), done: make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			fmt.Fprint(w, r.Header.Get("Authorization"))
		})}
		go server.Serve(listener)
		conn, err := New(&Config{Base: address("http://server"), BearerToken: "t", Dial: listener.dial})
		require.NoError(t, err)
		begun := time.Now()
		_, body := get(t, conn, "/")
		require.Equal(t, "Bearer t", body)
		require.Equal(t, time.Hour, time.Since(begun))
		conn.Close()
		server.Close()
		synctest.Wait()
	})
}

func TestAnIdleConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{accept: make(chan net.Conn), done: make(chan struct{})}
		server := &http.Server{Handler: http.NotFoundHandler()}
		go server.Serve(listener)
		conn := connected(t, Config{Base: address("http://server"), Dial: listener.dial})
		open := func() int {
			synctest.Wait()
			d := conn.transports.short.dialer
			d.mu.Lock()
			defer d.mu.Unlock()
			return len(d.conns)
		}
		get(t, conn, "/")
		time.Sleep(defaultTimeouts.idle - 1)
		require.Equal(t, 1, open())
		time.Sleep(time.Second)
		require.Zero(t, open())
		conn.Close()
		server.Close()
		synctest.Wait()
	})
}

// pipes is a listener of in-memory connections.
type pipes struct {
	accept chan net.Conn
	done   chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accept <- server:
		return client, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accept:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "pipe"} }

func TestCloseWaitsForRequestsThatEndSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		conn := connected(t, Config{Base: address("https://server"), Transport: roundTripperFunc(func(r *http.Request) (*http.Response, error) {
			sent++
			<-r.Context().Done()
			time.Sleep(time.Second)
			return nil, r.Context().Err()
		})})
		failed := make(chan error, 1)
		go func() {
			_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
			failed <- err
		}()
		synctest.Wait()
		begun := time.Now()
		conn.Close()
		require.Equal(t, time.Second, time.Since(begun))
		require.ErrorIs(t, <-failed, ErrClosed)

		_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		require.ErrorIs(t, err, ErrClosed)
		require.Equal(t, 1, sent, "a request was sent after close")
	})
}

func TestADialerEndsDialsAndWaitsForTheOwnersOfConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, running := false, newOperations()
		d := newDialer(func(ctx context.Context, _, _ string) (net.Conn, error) {
			if block {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			client, server := net.Pipe()
			t.Cleanup(func() { server.Close() })
			return client, nil
		}, defaultTimeouts, running)
		conn, err := d.dialContext(t.Context(), "tcp", "server:1")
		require.NoError(t, err)
		block = true
		failed := make(chan error, 1)
		go func() {
			_, err := d.dialContext(t.Context(), "tcp", "server:1")
			failed <- err
		}()
		synctest.Wait()
		d.closeAll()
		require.Error(t, <-failed)
		_, err = conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.ErrClosedPipe)
		time.AfterFunc(time.Hour, func() { conn.Close() })
		begun := time.Now()
		_, err = d.dialContext(t.Context(), "tcp", "server:1")
		require.Error(t, err, "the generation has ended")
		running.stop()
		running.wait()
		require.Equal(t, time.Hour, time.Since(begun))
		_, err = d.dialContext(t.Context(), "tcp", "server:1")
		require.ErrorIs(t, err, errConnectionsClosed)
	})
}

// openBody is counted until it is closed.
type openBody struct {
	io.Reader
	open *int
}

func (b *openBody) Close() error { *b.open--; return nil }

func TestUnreturnedResponsesAreClosed(t *testing.T) {
	open, sent := 0, 0
	path := filepath.Join(t.TempDir(), "token")
	write(t, path, []byte("first"))
	conn := connected(t, Config{Base: address("https://server"), BearerTokenFile: path, Transport: roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		sent++
		response := answerOf([]int{401, 302, 200}[sent-1], "")
		response.Header.Set("Location", "/there")
		response.Body = &openBody{strings.NewReader(""), &open}
		open++
		write(t, path, []byte("second"))
		return response, nil
	})})
	status, _ := get(t, conn, "/")
	require.Equal(t, 200, status)
	require.Equal(t, 3, sent)
	require.Zero(t, open)
}
