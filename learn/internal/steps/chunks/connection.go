package chunks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
)

// server is the other end of the connections of a check. It reads a request, and then
// follows a script.
type server struct {
	t *judge.T
	// script has the bytes to send (string), times to wait (time.Duration), and at the
	// end possibly a closing. Without it the connection stays open.
	script []any

	mu          sync.Mutex
	connections []*connection
	requests    []string
}

// closing ends a connection. Its error is what the client reads instead of io.EOF.
type closing struct{ err error }

func serve(t *judge.T, script ...any) *server { return &server{t: t, script: script} }

// dial is the stack.Dial of the server.
func (s *server) dial(context.Context) (net.Conn, error) {
	client, remote := net.Pipe()
	c := &connection{Conn: client}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections = append(s.connections, c)
	s.t.Cleanup(func() { client.Close(); remote.Close() })
	s.t.Go("the connection", func() { s.run(remote, c) })
	return c, nil
}

// run serves a connection.
func (s *server) run(remote net.Conn, c *connection) {
	defer remote.Close()
	request, ok := s.receive(remote)
	if !ok {
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	for _, step := range s.script {
		switch step := step.(type) {
		case string:
			if _, err := io.WriteString(remote, step); err != nil {
				return
			}
		case time.Duration:
			select {
			case <-time.After(step):
			case <-s.t.Context().Done():
				return
			}
		case closing:
			c.fail(step.err)
			return
		}
	}
	remote.Read(make([]byte, 1)) // until the client closes the connection
}

// receive reads a request: its head, and as many bytes as the Content-Length says.
func (s *server) receive(remote net.Conn) (request string, ok bool) {
	var received bytes.Buffer
	buffer := make([]byte, 64<<10)
	for {
		missing := missingPart(received.String())
		if missing == "" {
			remote.SetReadDeadline(time.Time{})
			return received.String(), true
		}
		if received.Len() > 0 {
			remote.SetReadDeadline(time.Now().Add(time.Minute))
		}
		n, err := remote.Read(buffer)
		received.Write(buffer[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			s.t.Errorf("the request is not complete: the server waits for %s\nreceived: %s", missing, judge.Short(received.String()))
		}
		if err != nil {
			return "", false
		}
	}
}

// missingPart says which part of a request has not been received.
func missingPart(received string) string {
	head, body, ok := strings.Cut(received, "\r\n\r\n")
	if !ok {
		return "the empty line that ends the head (\\r\\n\\r\\n)"
	}
	length := 0
	for line := range strings.SplitSeq(head, "\r\n") {
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Content-Length") {
			fmt.Sscan(value, &length)
		}
	}
	if missing := length - len(body); missing > 0 {
		return fmt.Sprintf("%d more bytes of the body", missing)
	}
	return ""
}

// request returns the only request that the server has received.
func (s *server) request() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) != 1 {
		s.t.Fatalf("the server received %d requests for one RoundTrip", len(s.requests))
	}
	return s.requests[0]
}

// last returns the last connection.
func (s *server) last() *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.connections) == 0 {
		s.t.Fatalf("RoundTrip did not call dial")
	}
	return s.connections[len(s.connections)-1]
}

// connection is the client's end of a connection.
type connection struct {
	net.Conn

	mu     sync.Mutex
	closed bool
	err    error  // what Read returns instead of io.EOF
	reader string // the first function of net/http that called Read
}

func (c *connection) Read(p []byte) (int, error) {
	if caller := netHTTPCaller(); caller != "" {
		c.mu.Lock()
		if c.reader == "" {
			c.reader = caller
		}
		c.mu.Unlock()
	}
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == io.EOF && c.err != nil {
		err = c.err
	}
	return n, err
}

func (c *connection) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	return c.Conn.Close()
}

func (c *connection) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// netHTTPReader returns a function of net/http that has read, or "".
func (c *connection) netHTTPReader() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reader
}

func (c *connection) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// netHTTPCaller returns the outermost caller that is in net/http or below it.
func netHTTPCaller() (caller string) {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "net/http.") || strings.HasPrefix(frame.Function, "net/http/") {
			caller = frame.Function
		}
		if !more {
			return caller
		}
	}
}

// newRequest returns the request of the checks: a watch.
func newRequest(ctx context.Context) *http.Request {
	request, err := http.NewRequestWithContext(ctx, "GET", "http://server/api/v1/configmaps?watch=1&limit=5", nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Accept", "application/json")
	return request
}
