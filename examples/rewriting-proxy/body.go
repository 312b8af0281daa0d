package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
)

// body is an answer that is made while it is read: what writes it goes on when
// what it has written has gone to the client. So a slow client makes the API
// server wait, and nothing piles up here.
type body struct {
	source io.Closer // the answer of the API server
	next   func() (piece []byte, err error, open bool)
	stop   func()

	piece []byte // what is left of it
	err   error
}

// written is what write writes, until it returns.
func written(source io.Closer, write func(out *bufio.Writer) error) *body {
	b := &body{source: source}
	b.next, b.stop = iter.Pull2(func(yield func([]byte, error) bool) {
		out := bufio.NewWriterSize(pieces(yield), 32<<10)
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

// pieces is a writer that waits until a piece has been read.
type pieces func([]byte, error) bool

// Write hands out p.
func (yield pieces) Write(p []byte) (int, error) {
	if !yield(p, nil) {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// begin waits for the first piece: until then it can be said what is wrong.
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

// Read returns what there is of a piece, and waits for the next if that is all.
func (b *body) Read(p []byte) (int, error) {
	if err := b.begin(); errors.Is(err, context.Canceled) {
		return 0, context.Canceled // the client has gone: nobody has to hear of it
	}
	if len(b.piece) == 0 {
		return 0, b.err
	}
	n := copy(p, b.piece)
	b.piece = b.piece[n:]
	return n, nil
}

// Close ends the answer of the API server, and then what reads it.
func (b *body) Close() error {
	defer b.stop()
	return b.source.Close()
}
