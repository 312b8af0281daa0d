package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
)

// body is a response that is generated while it is read: its writer continues when the
// client has received the previous data. So a slow client blocks the API server, and
// nothing accumulates here.
type body struct {
	source io.Closer // the response of the API server
	next   func() (piece []byte, err error, open bool)
	stop   func()

	piece []byte // the unread rest of it
	err   error
}

// newBody returns a body with the data that write writes until it returns.
func newBody(source io.Closer, write func(out *bufio.Writer) error) *body {
	b := &body{source: source}
	b.next, b.stop = iter.Pull2(func(yield func([]byte, error) bool) {
		out := bufio.NewWriterSize(pieceWriter(yield), 32<<10)
		err := write(out)
		if err == nil {
			err = out.Flush()
		}
		if err == nil {
			err = io.EOF
		}
		yield(nil, err)
	})
	return b
}

// pieceWriter is a writer that waits until a piece has been read.
type pieceWriter func([]byte, error) bool

// Write passes p to the reader.
func (yield pieceWriter) Write(p []byte) (int, error) {
	if !yield(p, nil) {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// begin waits for the first piece: until then an error response can be sent.
func (b *body) begin() error {
	for len(b.piece) == 0 && b.err == nil {
		var open bool
		if b.piece, b.err, open = b.next(); !open {
			b.err = http.ErrBodyReadAfterClose
		}
	}
	if b.err == io.EOF {
		return nil
	}
	return b.err
}

// Read reads from the current piece, and waits for the next if it is empty.
func (b *body) Read(p []byte) (int, error) {
	if err := b.begin(); errors.Is(err, context.Canceled) {
		return 0, context.Canceled // the client has disconnected
	}
	if len(b.piece) == 0 {
		return 0, b.err
	}
	n := copy(p, b.piece)
	b.piece = b.piece[n:]
	return n, nil
}

// Close closes the response of the API server, then the writer.
func (b *body) Close() error {
	defer b.stop()
	return b.source.Close()
}
