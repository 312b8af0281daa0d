package rest

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
)

func TestCloseEndsEverythingAndReturnsWhenNothingIsLeft(t *testing.T) {
	ca := newAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": http1, "HTTP/2": func(*httptest.Server) {}} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{}, 1)
			server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/watch" {
					keepTalking(w, r, "on")
					return
				}
				arrived <- struct{}{}
				<-r.Context().Done()
			}, change)
			dialling := make(chan struct{})
			var open, dials atomic.Int32
			conn := connected(t, Config{
				Host: server.URL, TLS: TLSConfig{CAData: ca.pem},
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
				response, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), long)
				if err == nil {
					response.Body.Close()
				}
				failed <- err
			}
			go waiting(false) // the second connection
			<-arrived
			pending := 1
			if name == "HTTP/1.1" {
				go waiting(false) // the third, which is never made
				<-dialling
				pending++
			}
			conn.close()
			require.Zero(t, open.Load(), "connections are open")
			for range pending {
				require.ErrorIs(t, <-failed, ErrClosed)
			}
			_, err := body.Read(make([]byte, 1))
			require.ErrorIs(t, err, ErrClosed)
			_, err = conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
			require.ErrorIs(t, err, ErrClosed)
			conn.close() // again does nothing
		})
	}
}

// countingDial counts the connections that are open.
func countingDial(open *atomic.Int32) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		open.Add(1)
		return &counted{Conn: conn, open: open}, nil
	}
}

// counted is a connection that is counted while it is open.
type counted struct {
	net.Conn
	open *atomic.Int32
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

func TestTheCallersContextEndsARequestAndItsBody(t *testing.T) {
	ca := newAuthority(t, "ca")
	arrived := make(chan struct{})
	server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/watch" {
			keepTalking(w, r, "on")
			return
		}
		close(arrived)
		<-r.Context().Done()
	})
	conn := connected(t, Config{Host: server.URL, TLS: TLSConfig{CAData: ca.pem}})
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	response, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/watch", "").WithContext(ctx), true)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, "on", line(t, response.Body))
	failed := make(chan error)
	go func() {
		_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", "").WithContext(ctx), false)
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

// After a 101 package net/http hands out the bare connection, which neither the
// request's context nor its end would close.
func TestAServerThatSwitchesProtocolsIsLeftAtOnce(t *testing.T) {
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
				_, _ = io.Copy(io.Discard, conn) // until the client leaves
			})
		}
	})
	client, err := New(&Config{Host: "http://" + listener.Addr().String()})
	require.NoError(t, err)
	for _, long := range []bool{false, true} {
		_, err := client.conn.do(newRequestFor(t, client.conn, http.MethodGet, "/", ""), long)
		require.ErrorContains(t, err, "switches protocols (101)")
	}
	_, err = client.Post().AbsPath("/x").Body([]byte("{}")).DoRaw(t.Context())
	require.ErrorContains(t, err, "switches protocols (101)")
	require.NoError(t, listener.Close())
	served.Wait() // while the client is open
	client.Close()
}

// In a bubble no request may wait for a lock while another writes to its
// connection: that would stop the fake clock.
func TestHTTP11OverAPipeWorksInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{accept: make(chan net.Conn), done: make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			fmt.Fprint(w, r.Header.Get("Authorization"))
		})}
		go server.Serve(listener)
		conn, err := newConnection(&Config{Host: "http://server", BearerToken: "t", Dial: listener.dial})
		require.NoError(t, err)
		begun := time.Now()
		_, body := get(t, conn, "/")
		require.Equal(t, "Bearer t", body)
		require.Equal(t, time.Hour, time.Since(begun))
		conn.close()
		server.Close()
		synctest.Wait()
	})
}

func TestAnIdleConnectionIsClosedAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{accept: make(chan net.Conn), done: make(chan struct{})}
		server := &http.Server{Handler: http.NotFoundHandler()}
		go server.Serve(listener)
		conn := connected(t, Config{Host: "http://server", Dial: listener.dial})
		open := func() int {
			synctest.Wait()
			d := conn.transports.short.dialer
			d.mu.Lock()
			defer d.mu.Unlock()
			return len(d.conns)
		}
		get(t, conn, "/")
		time.Sleep(usualTiming.idle - 1)
		require.Equal(t, 1, open())
		time.Sleep(time.Second)
		require.Zero(t, open())
		conn.close()
		server.Close()
		synctest.Wait()
	})
}

// pipes is a listener whose connections are in memory.
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

func TestCloseWaitsForRequestsThatTakeTheirTimeToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		conn := connected(t, Config{Host: "https://server", Transport: transport(func(r *http.Request) (*http.Response, error) {
			sent++
			<-r.Context().Done()
			time.Sleep(time.Second)
			return nil, r.Context().Err()
		})})
		failed := make(chan error, 1)
		go func() {
			_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
			failed <- err
		}()
		synctest.Wait()
		begun := time.Now()
		conn.close()
		require.Equal(t, time.Second, time.Since(begun))
		require.ErrorIs(t, <-failed, ErrClosed)

		_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		require.ErrorIs(t, err, ErrClosed)
		require.Equal(t, 1, sent, "something was sent after close")
	})
}

func TestADialerEndsWhatIsDialledAndWaitsForTheOwnersOfConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, running := false, newRunning()
		d := newDialer(func(ctx context.Context, _, _ string) (net.Conn, error) {
			if block {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			client, server := net.Pipe()
			t.Cleanup(func() { server.Close() })
			return client, nil
		}, usualTiming, running)
		conn, err := d.dialContext(t.Context(), "tcp", "server:1")
		require.NoError(t, err)
		block = true
		failed := make(chan error, 1)
		go func() {
			_, err := d.dialContext(t.Context(), "tcp", "server:1")
			failed <- err
		}()
		synctest.Wait()
		d.end()
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
		require.ErrorIs(t, err, errEnded)
	})
}

// openBody counts itself while it is open.
type openBody struct {
	io.Reader
	open *int
}

func (b *openBody) Close() error { *b.open--; return nil }

func TestAnswersThatTheCallerDoesNotSeeAreClosed(t *testing.T) {
	open, sent := 0, 0
	path := filepath.Join(t.TempDir(), "token")
	write(t, path, []byte("first"))
	conn := connected(t, Config{Host: "https://server", BearerTokenFile: path, Transport: transport(func(r *http.Request) (*http.Response, error) {
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
