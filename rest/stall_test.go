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

// piped is a client whose connections are pipes to serve, which is given each
// request and may write what it likes, when it likes. It is for bubbles.
func piped(t *testing.T, config Config, serve func(net.Conn, *http.Request)) *Client {
	t.Helper()
	config.Host = "http://server"
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	config.Dial = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		serving.Go(func() {
			defer theirs.Close()
			request, err := http.ReadRequest(bufio.NewReader(theirs))
			if err == nil {
				serve(theirs, request)
			}
		})
		return ours, nil
	}
	client, err := New(&config)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

// say writes to a connection after a wait. The other end may have gone.
func say(conn net.Conn, wait time.Duration, text string) {
	time.Sleep(wait)
	_, _ = io.WriteString(conn, text)
}

// silence lasts until the other end hangs up.
func silence(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

// Timeout bounds a request from its start to the last byte of the answer.
func TestTimeoutBoundsAWholeAnswer(t *testing.T) {
	for what, serve := range map[string]func(net.Conn, *http.Request){
		"silence": func(conn net.Conn, _ *http.Request) { silence(conn) },
		"trickle": func(conn net.Conn, _ *http.Request) {
			say(conn, 0, chunkedHead)
			for range 20 {
				say(conn, time.Second, "1\r\nx\r\n")
			}
		},
		"half a failure": func(conn net.Conn, _ *http.Request) {
			say(conn, 0, "HTTP/1.1 500 Oh\r\nContent-Length: 100\r\n\r\nhalf")
			silence(conn)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			client := piped(t, Config{}, serve)
			_, err := client.GroupVersion(coreV1).Get().Resource("pods").Timeout(10 * time.Second).DoRaw(t.Context())
			require.Equal(t, 10*time.Second, time.Since(begun), what)
			if what != "half a failure" {
				require.ErrorIs(t, err, context.DeadlineExceeded, what)
				require.ErrorContains(t, err, "timed out after 10s waiting for http://server", what)
				var timeout net.Error
				require.True(t, errors.As(err, &timeout) || isTimeout(err), what)
			}
			require.ErrorContains(t, err, " pods", what)
		})
	}
}

// An answer that takes less than its Timeout is not disturbed by it, nor by
// what is left of it.
func TestTimeoutLeavesAnAnswerInTimeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := piped(t, Config{Timeout: 10 * time.Second}, func(conn net.Conn, request *http.Request) {
			require.Equal(t, "timeout=10s", request.URL.RawQuery)
			say(conn, 4*time.Second, chunkedHead)
			say(conn, 5*time.Second, "1\r\nx\r\n0\r\n\r\n")
		})
		body, err := client.Get().AbsPath("/x").DoRaw(t.Context())
		require.NoError(t, err)
		require.Equal(t, "x", string(body))
	})
}

// Of a list it bounds the wait for each further part, and not what the reader
// does in between.
func TestTimeoutOfAListBoundsEachPart(t *testing.T) {
	parts := func(last time.Duration) func(net.Conn, *http.Request) {
		return func(conn net.Conn, request *http.Request) {
			require.Empty(t, request.URL.RawQuery, "the server is not told to hurry")
			say(conn, 9*time.Second, chunkedHead)
			for range 5 {
				say(conn, 9*time.Second, "1\r\nx\r\n")
			}
			say(conn, last, "0\r\n\r\n")
			silence(conn)
		}
	}
	read := func(t *testing.T, last time.Duration) error {
		client := piped(t, Config{Timeout: 10 * time.Second}, parts(last))
		response, err := client.Get().AbsPath("/x").inParts().open(t.Context(), false)
		require.NoError(t, err)
		defer response.Body.Close()
		time.Sleep(time.Hour) // a reader may be late from the beginning
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

// Of a stream it bounds the wait for the answer to begin.
func TestTimeoutOfAStreamBoundsItsBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := piped(t, Config{Timeout: 10 * time.Second}, func(conn net.Conn, request *http.Request) {
			require.Empty(t, request.URL.RawQuery)
			say(conn, 9*time.Second, chunkedHead)
			say(conn, time.Hour, "1\r\nx\r\n0\r\n\r\n")
		})
		stream, err := client.Get().AbsPath("/x").Stream(t.Context())
		require.NoError(t, err)
		body, err := io.ReadAll(stream)
		require.NoError(t, err)
		require.Equal(t, "x", string(body))
		require.NoError(t, stream.Close())
	})
	synctest.Test(t, func(t *testing.T) {
		client := piped(t, Config{Timeout: 10 * time.Second}, func(conn net.Conn, _ *http.Request) { silence(conn) })
		begun := time.Now()
		_, err := client.Get().AbsPath("/x").Stream(t.Context())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 10*time.Second, time.Since(begun))
	})
}

// slowBody is that of a transport which says of its end only that it came.
type slowBody struct {
	ctx context.Context
	err error
}

func (b slowBody) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.err
}

func (slowBody) Close() error { return nil }

func TestATimeoutIsCalledOneWhateverTheTransportSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, clock := watchStall(t.Context(), time.Second, &url.URL{Host: "server"})
		body := &stallingBody{ReadCloser: slowBody{ctx, errors.New("gone")}, ctx: ctx, stall: clock}
		_, err := body.Read(nil)
		require.True(t, isTimeout(err), "%v", err)

		body.ReadCloser = slowBody{ctx, io.EOF}
		_, err = body.Read(nil)
		require.Equal(t, io.EOF, err, "what has come to its end is whole")
	})
}

// Nothing is left when an answer is closed.
func TestAClosedAnswerHasNoClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, clock := watchStall(t.Context(), time.Second, &url.URL{Host: "server"})
		body := &stallingBody{ReadCloser: slowBody{ctx: ctx}, ctx: ctx, stall: clock, parts: true}
		require.NoError(t, body.Close())
		require.Equal(t, context.Canceled, context.Cause(ctx))
		require.False(t, clock.timer.Stop(), "the timer was stopped")
	})
}

// The caller's own end is told from the server's slowness.
func TestTheCallersEndIsNotATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := piped(t, Config{Timeout: time.Minute}, func(conn net.Conn, _ *http.Request) {
			say(conn, 0, chunkedHead)
			silence(conn)
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
