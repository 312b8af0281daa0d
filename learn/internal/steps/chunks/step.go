// Package chunks judges step 1: a watch by hand, on a socket.
//
// A solution receives a function that opens connections, and returns a transport. The
// checks are servers that write scripted bytes to a connection. They verify that data is
// delivered as it arrives, and that a body that is cut off does not look complete.
package chunks

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Step is step 1.
var Step = judge.Step{
	Number:    1,
	Name:      "chunks",
	Short:     true,
	Functions: []string{"NewTransport"},
	Checks: []judge.Check{
		{Name: "a request has a head", Run: requestHead},
		{Name: "a request body has a length", Run: requestBody},
		{Name: "net/http does not read the response", Run: withoutNetHTTP},
		{Name: "a response has a status and fields", Run: responseHead},
		{Name: "RoundTrip does not wait for the body", Run: beforeBody},
		{Name: "a chunk size is hexadecimal", Run: hexadecimalSizes},
		{Name: "a chunk can end inside a rune", Run: runesInChunks},
		{Name: "data is delivered as it arrives", Run: partsOfChunks},
		{Name: "the chunk of size 0 ends the body", Run: lastChunk},
		{Name: "a malformed chunk is an error", Run: malformedChunks},
		{Name: "a Content-Length ends the body", Run: contentLength},
		{Name: "the connection ends the body", Run: untilClose},
		{Name: "a cut is io.ErrUnexpectedEOF", Run: cuts},
		{Name: "other errors are unchanged", Run: otherErrors},
		{Name: "Close closes the connection", Run: closeBody},
		{Name: "the context closes the connection", Run: endOfContext},
		{Name: "each request has its own connection", Run: ownConnections},
		{Name: "a watch of the API server", Run: watchOfServer},
	},
	Show: show,
}

// newTransport returns the transport of the solution.
func newTransport(t *judge.T, parts stack.Parts, dial stack.Dial) stack.Transport {
	transport := parts.NewTransport(dial)
	if transport == nil {
		t.Fatalf("NewTransport returns nil")
	}
	return transport
}

// roundTrip sends a request to the server and returns the response.
func roundTrip(t *judge.T, parts stack.Parts, s *server, request *http.Request) *http.Response {
	response, err := tryRoundTrip(t, parts, s.dial, request)
	if err != nil {
		t.Fatalf("RoundTrip returns the error %q for a response that is complete", err)
	}
	return response
}

func tryRoundTrip(t *judge.T, parts stack.Parts, dial stack.Dial, request *http.Request) (response *http.Response, err error) {
	transport := newTransport(t, parts, dial)
	t.Unblocked("RoundTrip", func() { response, err = transport.RoundTrip(request) })
	switch {
	case err == nil && response == nil:
		t.Fatalf("RoundTrip returns neither a response nor an error")
	case err == nil && response.Body == nil:
		t.Fatalf("the Body of the response is nil")
	case err == nil:
		t.Cleanup(func() { response.Body.Close() })
	}
	return response, err
}

// readAll reads a body with a buffer of some size.
func readAll(t *judge.T, body io.Reader, size int) (read string, err error) {
	buffer := make([]byte, size)
	empty := 0
	for err == nil {
		n := 0
		t.Unblocked("Read of the body", func() { n, err = body.Read(buffer) })
		if n < 0 || n > len(buffer) {
			t.Fatalf("Read returns %d bytes in a buffer of %d", n, len(buffer))
		}
		read += string(buffer[:n])
		if empty++; n > 0 {
			empty = 0
		}
		if empty > 100 {
			t.Fatalf("Read returns 0 bytes and no error, 100 times in a row. Read so far: %s", judge.Short(read))
		}
	}
	return read, err
}

// body sends a request and returns what the body of the response has.
func body(t *judge.T, parts stack.Parts, size int, script ...any) (string, error) {
	response := roundTrip(t, parts, serve(t, script...), newRequest(t.Context()))
	return readAll(t, response.Body, size)
}

// wantBody fails unless the body has a content and ends with io.EOF.
func wantBody(t *judge.T, parts stack.Parts, cause, want string, script ...any) {
	for _, size := range []int{1, 7, 4096} {
		got, err := body(t, parts, size, script...)
		if first, _ := script[0].(string); got == want && err != io.EOF && strings.HasPrefix(first, chunkedHead) {
			cause = "\nThe data is complete. After it come the \\r\\n of the chunk, the size 0 and an empty line."
		}
		if got != want || err != io.EOF {
			t.Fatalf("sent: %s\nread, with buffers of %d bytes: %s and %v, want %s and EOF%s", sent(script), size, judge.Short(got), err, judge.Short(want), cause)
		}
	}
}

// sent describes a script.
func sent(script []any) string {
	text := ""
	for _, step := range script {
		if piece, ok := step.(string); ok {
			text += piece
		}
	}
	return judge.Short(text)
}

const (
	chunkedHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	plainHead   = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
)

var errReset = errors.New("connection reset by peer")
