package chunks

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

const lengthHead = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"

func contentLength(t *judge.T, parts stack.Parts) {
	wantBody(t, parts, "\nThe connection stays open: the Content-Length ends the body.", "helloworld", lengthHead, "hello", "world")
	wantBody(t, parts, "\nThe Content-Length is 0.", "", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
}

func untilClose(t *judge.T, parts stack.Parts) {
	wantBody(t, parts, "\nWithout Content-Length and chunks, the end of the connection ends the body regularly.",
		"5\r\nhello\r\n", plainHead, "5\r\nhello", "\r\n", closing{})
}

func cuts(t *judge.T, parts stack.Parts) {
	for _, test := range []struct{ where, head, rest string }{
		{"in the size of a chunk", chunkedHead, "5\r\nhello\r\n5"},
		{"before the size of a chunk", chunkedHead, "5\r\nhello\r\n"},
		{"in the data of a chunk", chunkedHead, "a\r\nhello"},
		{"between the data of a chunk and its \\r\\n", chunkedHead, "5\r\nhello"},
		{"before the first chunk", chunkedHead, ""},
		{"between the size 0 and the empty line after it", chunkedHead, "5\r\nhello\r\n0\r\n"},
		{"between a trailer and the empty line after it", chunkedHead, "5\r\nhello\r\n0\r\nChecksum: 1\r\n"},
		{"after 5 of 10 bytes of a Content-Length", lengthHead, "hello"},
	} {
		response := roundTrip(t, parts, serve(t, test.head, test.rest, closing{}), newRequest(t.Context()))
		read, err := readAll(t, response.Body, 64)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("the connection ends %s\nread: %s and the error %v, want io.ErrUnexpectedEOF: the body is not complete", test.where, judge.Short(read), err)
		}
		if want := "hello"; test.rest != "" && read != want {
			t.Fatalf("the connection ends %s: read %s before the error, want %q", test.where, judge.Short(read), want)
		}
	}
	for _, head := range []string{"", "HTTP/1.1 200 OK\r\n"} {
		s := serve(t, head, closing{})
		_, err := tryRoundTrip(t, parts, s.dial, newRequest(t.Context()))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("the connection ends in the head of the response, after %s\nRoundTrip returns the error %v, want io.ErrUnexpectedEOF", judge.Short(head), err)
		}
		wantClosed(t, s, "RoundTrip has returned an error")
	}
}

func otherErrors(t *judge.T, parts stack.Parts) {
	for _, test := range [][2]string{{"in the data of a chunk", "a\r\nhello"}, {"in the size of a chunk", "5\r\nhello\r\n5"}} {
		where, rest := test[0], test[1]
		read, err := body(t, parts, 64, chunkedHead, rest, closing{errReset})
		if !errors.Is(err, errReset) {
			t.Fatalf("the connection fails %s with the error %q\nread: %s and the error %v, want the error of the connection (errors.Is)", where, errReset, judge.Short(read), err)
		}
	}
	for _, test := range [][2]string{{"before the first byte", ""}, {"in the head", "HTTP/1.1 200 OK\r\n"}} {
		s := serve(t, test[1], closing{errReset})
		if _, err := tryRoundTrip(t, parts, s.dial, newRequest(t.Context())); !errors.Is(err, errReset) {
			t.Fatalf("the connection fails %s of the response with the error %q\nRoundTrip returns the error %v, want that error (errors.Is)", test[0], errReset, err)
		}
		wantClosed(t, s, "RoundTrip has returned an error")
	}
	client, _ := net.Pipe()
	broken := func(context.Context) (net.Conn, error) { return brokenConnection{client}, nil }
	if _, err := tryRoundTrip(t, parts, broken, newRequest(t.Context())); !errors.Is(err, errReset) {
		t.Fatalf("Write of the connection returns the error %q\nRoundTrip returns the error %v, want that error (errors.Is)", errReset, err)
	}
	refused := errors.New("connection refused")
	dial := func(context.Context) (net.Conn, error) { return nil, refused }
	if _, err := tryRoundTrip(t, parts, dial, newRequest(t.Context())); !errors.Is(err, refused) {
		t.Fatalf("dial returns the error %q: RoundTrip returns the error %v, want that error (errors.Is)", refused, err)
	}
}

// brokenConnection is a connection to which nothing can be written.
type brokenConnection struct{ net.Conn }

func (brokenConnection) Write([]byte) (int, error) { return 0, errReset }
func (brokenConnection) Read([]byte) (int, error)  { return 0, io.EOF }

// wantClosed fails unless the last connection has been closed.
func wantClosed(t *judge.T, s *server, after string) {
	if !s.last().isClosed() {
		t.Fatalf("%s, but the connection is still open: it leaks", after)
	}
}
