package rest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// newPipeClient returns a client whose connections are pipes to serve. serve receives each
// request and writes bytes at any time. It is for synctest bubbles.
func newPipeClient(t *testing.T, config Config, serve func(net.Conn, *http.Request)) *Client {
	t.Helper()
	config.Host = "http://server"
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	config.Dial = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		serving.Go(func() {
			defer server.Close()
			request, err := http.ReadRequest(bufio.NewReader(server))
			if err == nil {
				serve(server, request)
			}
		})
		return client, nil
	}
	client, err := New(&config)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

// writeAfter writes to a connection after a delay. The other end may be closed.
func writeAfter(conn net.Conn, wait time.Duration, text string) {
	time.Sleep(wait)
	_, _ = io.WriteString(conn, text)
}

// waitForHangUp returns when the other end hangs up.
func waitForHangUp(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

// Timeout limits a request from its start to the last byte of the response.
func TestTimeoutLimitsTheWholeResponse(t *testing.T) {
	for what, serve := range map[string]func(net.Conn, *http.Request){
		"silence": func(conn net.Conn, _ *http.Request) { waitForHangUp(conn) },
		"trickle": func(conn net.Conn, _ *http.Request) {
			writeAfter(conn, 0, chunkedHead)
			for range 20 {
				writeAfter(conn, time.Second, "1\r\nx\r\n")
			}
		},
		"a truncated error body": func(conn net.Conn, _ *http.Request) {
			writeAfter(conn, 0, "HTTP/1.1 500 Oh\r\nContent-Length: 100\r\n\r\nhalf")
			waitForHangUp(conn)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			client := newPipeClient(t, Config{}, serve)
			_, err := client.GroupVersion(coreV1).Get().Resource("pods").Timeout(10 * time.Second).DoRaw(t.Context())
			require.Equal(t, 10*time.Second, time.Since(begun), what)
			if what != "a truncated error body" {
				require.ErrorIs(t, err, context.DeadlineExceeded, what)
				require.ErrorContains(t, err, "timed out after 10s waiting for http://server", what)
				var timeout net.Error
				require.True(t, errors.As(err, &timeout) || isTimeout(err), what)
			}
			require.ErrorContains(t, err, " pods", what)
		})
	}
}

// Timeout does not affect a response that ends before it.
func TestTimeoutDoesNotAffectAResponseInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Config{Timeout: 10 * time.Second}, func(conn net.Conn, request *http.Request) {
			require.Equal(t, "timeout=10s", request.URL.RawQuery)
			writeAfter(conn, 4*time.Second, chunkedHead)
			writeAfter(conn, 5*time.Second, "1\r\nx\r\n0\r\n\r\n")
		})
		body, err := client.Get().AbsPath("/x").DoRaw(t.Context())
		require.NoError(t, err)
		require.Equal(t, "x", string(body))
	})
}

// For a list, Timeout limits the wait for each part, and not the time that the reader
// spends in between.
func TestTimeoutOfAListLimitsEachPart(t *testing.T) {
	parts := func(last time.Duration) func(net.Conn, *http.Request) {
		return func(conn net.Conn, request *http.Request) {
			require.Empty(t, request.URL.RawQuery, "the request has no timeout parameter")
			writeAfter(conn, 9*time.Second, chunkedHead)
			for range 5 {
				writeAfter(conn, 9*time.Second, "1\r\nx\r\n")
			}
			writeAfter(conn, last, "0\r\n\r\n")
			waitForHangUp(conn)
		}
	}
	read := func(t *testing.T, last time.Duration) error {
		client := newPipeClient(t, Config{Timeout: 10 * time.Second}, parts(last))
		response, err := client.Get().AbsPath("/x").readIncrementally().open(t.Context(), false)
		require.NoError(t, err)
		defer response.Body.Close()
		time.Sleep(time.Hour) // the reader may begin late
		for {
			if _, err := response.Body.Read(make([]byte, 10)); err != nil {
				return err
			}
			time.Sleep(time.Hour)
		}
	}
	synctest.Test(t, func(t *testing.T) { require.Equal(t, io.EOF, read(t, 9*time.Second)) })
	synctest.Test(t, func(t *testing.T) {
		err := read(t, 100*24*time.Hour)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// For a stream, Timeout limits the wait for the response headers.
func TestTimeoutOfAStreamLimitsItsBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Config{Timeout: 10 * time.Second}, func(conn net.Conn, request *http.Request) {
			require.Empty(t, request.URL.RawQuery)
			writeAfter(conn, 9*time.Second, chunkedHead)
			writeAfter(conn, time.Hour, "1\r\nx\r\n0\r\n\r\n")
		})
		stream, err := client.Get().AbsPath("/x").Stream(t.Context())
		require.NoError(t, err)
		body, err := io.ReadAll(stream)
		require.NoError(t, err)
		require.Equal(t, "x", string(body))
		require.NoError(t, stream.Close())
	})
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Config{Timeout: 10 * time.Second}, func(conn net.Conn, _ *http.Request) { waitForHangUp(conn) })
		begun := time.Now()
		_, err := client.Get().AbsPath("/x").Stream(t.Context())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 10*time.Second, time.Since(begun))
	})
}

// slowBody is a body whose reads end with the context. They return err, not the cause
// of the context.
type slowBody struct {
	ctx context.Context
	err error
}

func (b slowBody) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.err
}

func (slowBody) Close() error { return nil }

func TestATimeoutIsReportedAsOneForEveryTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, clock := startTimer(t.Context(), time.Second, &url.URL{Host: "server"})
		body := &timeoutBody{ReadCloser: slowBody{ctx, errors.New("gone")}, ctx: ctx, timer: clock}
		_, err := body.Read(nil)
		require.True(t, isTimeout(err), "%v", err)

		body.ReadCloser = slowBody{ctx, io.EOF}
		_, err = body.Read(nil)
		require.Equal(t, io.EOF, err, "a complete body is not an error")
	})
}

// A closed response leaves no timer running.
func TestAClosedResponseHasNoTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, clock := startTimer(t.Context(), time.Second, &url.URL{Host: "server"})
		body := &timeoutBody{ReadCloser: slowBody{ctx: ctx}, ctx: ctx, timer: clock, incremental: true}
		require.NoError(t, body.Close())
		require.Equal(t, context.Canceled, context.Cause(ctx))
		require.False(t, clock.timer.Stop(), "the timer was stopped")
	})
}

// An ended context of the caller is distinguished from a slow server.
func TestACancelledContextIsNotATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Config{Timeout: time.Minute}, func(conn net.Conn, _ *http.Request) {
			writeAfter(conn, 0, chunkedHead)
			waitForHangUp(conn)
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begun := time.Now()
		_, err := client.Get().AbsPath("/x").DoRaw(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, isTimeout(err))
		require.Equal(t, time.Second, time.Since(begun))
	})
}
