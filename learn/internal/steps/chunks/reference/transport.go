// Package chunks is the reference of step 1: HTTP/1.1 on a connection.
package chunks

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// NewTransport returns a transport that opens a connection for each request.
func NewTransport(dial stack.Dial) stack.Transport { return transport{dial} }

type transport struct{ dial stack.Dial }

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	defer cmp.Or[io.ReadCloser](request.Body, http.NoBody).Close() // even if dial fails
	conn, err := t.dial(request.Context())
	if err != nil {
		return nil, err
	}
	// A Read or a Write that waits ends only if the connection is closed.
	stop := context.AfterFunc(request.Context(), func() { conn.Close() })
	response, err := exchange(conn, request)
	if err != nil {
		stop()
		conn.Close()
		return nil, unexpected(err)
	}
	response.Body = body{response.Body, conn, stop}
	return response, nil
}

// body is the body of a response. It owns the connection.
type body struct {
	io.Reader
	conn net.Conn
	stop func() bool
}

func (b body) Close() error {
	b.stop()
	return b.conn.Close()
}

// exchange sends the request and reads the head of the response.
func exchange(conn net.Conn, request *http.Request) (*http.Response, error) {
	if err := send(conn, request); err != nil {
		return nil, err
	}
	// The only reader of the connection: it may already hold the beginning of the body.
	lines := textproto.NewReader(bufio.NewReader(conn))
	line, err := lines.ReadLine()
	if err != nil {
		return nil, err
	}
	var minor, code int
	if _, err := fmt.Sscanf(line, "HTTP/1.%d %d", &minor, &code); err != nil {
		return nil, fmt.Errorf("%.40q is not a status line of HTTP/1", line)
	}
	header, err := lines.ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	content := io.Reader(lines.R) // until the server closes the connection
	if header.Get("Transfer-Encoding") == "chunked" {
		content = &framed{lines: lines}
	} else if length := header.Get("Content-Length"); length != "" {
		left, err := strconv.ParseUint(length, 10, 63)
		content = &framed{lines: lines, left: left, last: true, err: err}
	}
	return &http.Response{StatusCode: code, Header: http.Header(header), Body: io.NopCloser(content), Request: request}, nil
}

// send writes the head and the body of the request.
func send(conn net.Conn, request *http.Request) error {
	writer := bufio.NewWriter(conn) // keeps the first error until Flush
	fmt.Fprintf(writer, "%s %s HTTP/1.1\r\nHost: %s\r\n", request.Method, request.URL.RequestURI(), request.URL.Host)
	fmt.Fprintf(writer, "Content-Length: %d\r\n", request.ContentLength)
	request.Header.Write(writer)
	writer.WriteString("\r\n")
	_, err := io.Copy(writer, cmp.Or[io.ReadCloser](request.Body, http.NoBody))
	return errors.Join(err, writer.Flush())
}

// framed reads a body in chunks. A body with a Content-Length is like the last chunk.
type framed struct {
	lines *textproto.Reader
	left  uint64 // bytes of the chunk
	begun bool   // there was a chunk before
	last  bool
	err   error // the end, which is returned again
}

func (f *framed) Read(p []byte) (int, error) {
	for f.left == 0 && f.err == nil {
		f.next()
	}
	if f.err != nil {
		return 0, f.err
	}
	// One Read, not io.ReadFull: the rest of the chunk may arrive later.
	n, err := f.lines.R.Read(p[:min(uint64(len(p)), f.left)])
	f.left, f.err = f.left-uint64(n), unexpected(err)
	return n, f.err
}

// next reads the lines between the data of two chunks. Read calls it when more data is
// wanted and not earlier: the lines may arrive later than the data before them.
func (f *framed) next() {
	if f.last {
		f.err = io.EOF
		return
	}
	if f.begun && f.line() != "" {
		f.err = errors.New("the data of a chunk is longer than its size")
	}
	size, _, _ := strings.Cut(f.line(), ";") // without an extension
	n, err := strconv.ParseUint(size, 16, 63)
	for err == nil && n == 0 && f.line() != "" { // trailers, which end with an empty line
	}
	f.left, f.begun, f.last, f.err = n, true, n == 0, cmp.Or(f.err, err)
}

// line reads a line, without its end. It returns "" after an error.
func (f *framed) line() (line string) {
	if f.err == nil {
		line, f.err = f.lines.ReadLine()
		f.err = unexpected(f.err)
	}
	return line
}

// unexpected returns io.ErrUnexpectedEOF for io.EOF, and other errors unchanged.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
