package chunks

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func requestHead(t *judge.T, parts stack.Parts) {
	s := serve(t, chunkedHead+"0\r\n\r\n")
	request := newRequest(t.Context())
	request.Header["X-Course"] = []string{"one", "two"}
	roundTrip(t, parts, s, request)
	head, _, _ := strings.Cut(s.request(), "\r\n\r\n")
	if strings.Contains(strings.ReplaceAll(head, "\r\n", ""), "\n") {
		t.Fatalf("a line of the head ends with \\n alone, not with \\r\\n: %s", judge.Short(head))
	}
	lines := strings.Split(head, "\r\n")
	if want := "GET /api/v1/configmaps?watch=1&limit=5 HTTP/1.1"; lines[0] != want {
		t.Fatalf("the request line is %s, want %q: method, path with query, version", judge.Short(lines[0]), want)
	}
	if request.URL.Host != "server" || len(request.Header) != 2 {
		t.Fatalf("RoundTrip modified the request")
	}
	found := map[string][]string{}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		found[http.CanonicalHeaderKey(name)] = append(found[http.CanonicalHeaderKey(name)], strings.TrimSpace(value))
	}
	for _, want := range [][2]string{{"Host", "server"}, {"Accept", "application/json"}, {"X-Course", "one,two"}} {
		if got := strings.Join(found[want[0]], ","); got != want[1] {
			t.Fatalf("the field %s of the request is %q, want %q\nreceived: %s", want[0], got, want[1], judge.Short(head))
		}
		delete(found, want[0])
	}
	delete(found, "Connection")
	delete(found, "Content-Length")
	for _, name := range []string{"Accept-Encoding", "User-Agent"} {
		if values := found[name]; values != nil {
			t.Fatalf("the request has the field %s: %s, which net/http adds: write the head by hand", name, values[0])
		}
	}
	if len(found) > 0 {
		t.Fatalf("the request has fields that nothing has set: %v", found)
	}
	escapedTarget(t, parts)
}

// escapedTarget sends a request whose path has an escape and no query, to a port.
func escapedTarget(t *judge.T, parts stack.Parts) {
	request, err := http.NewRequestWithContext(t.Context(), "GET", "http://server:8080/api/v1/configmaps/a%3Fb", nil)
	if err != nil {
		panic(err)
	}
	s := serve(t, chunkedHead+"0\r\n\r\n")
	roundTrip(t, parts, s, request)
	line, rest, _ := strings.Cut(s.request(), "\r\n")
	if want := "GET /api/v1/configmaps/a%3Fb HTTP/1.1"; line != want {
		t.Fatalf("the request line for %s is %s, want %q: the escapes of the URL remain, and there is no ? without a query", request.URL, judge.Short(line), want)
	}
	if !strings.Contains("\r\n"+strings.ToLower(rest), "\r\nhost: server:8080\r\n") {
		t.Fatalf("the field Host for %s is not %q\nreceived: %s", request.URL, "server:8080", judge.Short(rest))
	}
}

// watchedBody records that it has been closed.
type watchedBody struct {
	io.Reader
	closed bool
}

func (b *watchedBody) Close() error { b.closed = true; return nil }

func requestBody(t *judge.T, parts stack.Parts) {
	content := strings.Repeat("0123456789", 3000)
	request, err := http.NewRequestWithContext(t.Context(), "POST", "http://server/api/v1/configmaps", strings.NewReader(content))
	if err != nil {
		panic(err)
	}
	watched := &watchedBody{Reader: request.Body}
	request.Body = watched
	s := serve(t, plainHead, closing{})
	roundTrip(t, parts, s, request)
	head, sent, _ := strings.Cut(s.request(), "\r\n\r\n")
	if !strings.Contains(strings.ToLower(head), "\r\ncontent-length: 30000") {
		t.Fatalf("a request with a body of 30000 bytes has no Content-Length of that number: %s", judge.Short(head))
	}
	if sent != content {
		t.Fatalf("the body of the request has %d bytes, and %d were received that differ from it", len(content), len(sent))
	}
	if !watched.closed {
		t.Fatalf("RoundTrip does not close the body of the request")
	}
	watched = &watchedBody{Reader: strings.NewReader(content)}
	unsent := request.Clone(t.Context())
	unsent.Body = watched
	refuse := func(context.Context) (net.Conn, error) { return nil, errReset }
	if tryRoundTrip(t, parts, refuse, unsent); !watched.closed {
		t.Fatalf("dial returns an error, and RoundTrip does not close the body of the request: it must always close it")
	}
}

func responseHead(t *judge.T, parts stack.Parts) {
	for _, test := range []struct{ name, head string }{
		{"of HTTP/1.1", "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nRetry-After: 5\r\n\r\n"},
		{"of HTTP/1.0, without a reason, with names in lower case", "HTTP/1.0 404\r\ncontent-type:application/json\r\nretry-after:   5  \r\n\r\n"},
		{"whose lines end with \\n alone", "HTTP/1.1 404 Not Found\nContent-Type: application/json\nRetry-After: 5\n\n"},
	} {
		response := roundTrip(t, parts, serve(t, test.head+"content", closing{}), newRequest(t.Context()))
		if response.StatusCode != 404 {
			t.Fatalf("StatusCode is %d, want 404, for a response %s", response.StatusCode, test.name)
		}
		for name, want := range map[string]string{"Content-Type": "application/json", "Retry-After": "5"} {
			if got := response.Header.Get(name); got != want {
				t.Fatalf("Header.Get(%q) returns %q, want %q, for a response %s", name, got, want, test.name)
			}
		}
		if got, err := readAll(t, response.Body, 100); got == "content" && err != io.EOF {
			t.Fatalf("the body ends with the error %v, want EOF, for a response %s\nIt has neither chunks nor a Content-Length: the end of the connection ends it.", err, test.name)
		} else if got != "content" {
			t.Fatalf("the body is %s and %v, want %q and EOF, for a response %s\nThese bytes arrived together with the head. Is there a second bufio.Reader?", judge.Short(got), err, "content", test.name)
		}
	}
	for _, line := range []string{"SSH-2.0-OpenSSH_9.2\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/1.1 abc\r\n\r\n"} {
		_, err := tryRoundTrip(t, parts, serve(t, line, closing{}).dial, newRequest(t.Context()))
		if err == nil {
			t.Fatalf("RoundTrip returns no error for the status line %s", judge.Short(line))
		}
	}
}

func beforeBody(t *judge.T, parts stack.Parts) {
	for _, head := range []string{chunkedHead, plainHead, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"} {
		begun := time.Now()
		_, err := tryRoundTrip(t, parts, serve(t, head, time.Hour, closing{}).dial, newRequest(t.Context()))
		if waited := time.Since(begun); waited > 0 {
			t.Fatalf("RoundTrip returned %v after the head of the response, at the end of the connection\nIt must return after the head: a watch has no end.", waited)
		}
		if err != nil {
			t.Fatalf("RoundTrip returns the error %q, although the head of the response is complete and the connection is open", err)
		}
	}
}
