package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// SniffedBody is a response body whose content type is unknown. Its reads end with
// the context of the request.
type SniffedBody struct {
	body io.ReadCloser
	// first is the byte that was read to detect the encoding; buffered is 1 until
	// it is read again.
	first    [1]byte
	buffered int
	// timeoutIsEOF is set for watches: a time limit of the client ends the stream
	// like a timeout of a proxy, and the next watch resumes. For a list it is a
	// failure.
	timeoutIsEOF bool
	// stopWatchingContext ends the wait for the end of the context.
	stopWatchingContext func() bool
	once                sync.Once
}

// NewSniffedBody returns a body that is closed when ctx ends.
func NewSniffedBody(ctx context.Context, body io.ReadCloser, timeoutIsEOF bool) *SniffedBody {
	b := &SniffedBody{body: body, timeoutIsEOF: timeoutIsEOF}
	b.stopWatchingContext = context.AfterFunc(ctx, b.closeOnce)
	return b
}

// Read reads from the body.
func (b *SniffedBody) Read(into []byte) (n int, err error) {
	if b.buffered == 0 || len(into) == 0 {
		n, err = b.body.Read(into)
		return n, b.convertError(err)
	}
	into[0], b.buffered = b.first[0], 0
	if len(into) > 1 {
		n, err = b.body.Read(into[1:])
	}
	return 1 + n, b.convertError(err)
}

// convertError converts an error of the body.
func (b *SniffedBody) convertError(err error) error {
	var timeout interface{ Timeout() bool }
	if b.timeoutIsEOF && errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return err
}

// Close closes the body, which the end of the context may have done already.
func (b *SniffedBody) Close() error {
	b.stopWatchingContext()
	b.closeOnce()
	return nil
}

func (b *SniffedBody) closeOnce() { b.once.Do(func() { b.body.Close() }) }

// sniff reads the first byte of a body and detects the encoding. JSON begins with a
// brace or white space; protobuf with its magic number or, in a watch, with the
// length of a frame, whose first byte is nearly zero because frames are short.
// Anything else is left to the JSON reader, which reports it.
func (c *Codec) sniff(b *SniffedBody) (encoding, error) {
	n, err := io.ReadFull(b.body, b.first[:])
	b.buffered = n
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return encodingJSON, nil
	case n == 0:
		return 0, b.convertError(err)
	case b.first[0] != 'k' && b.first[0] > '\b':
		return encodingJSON, nil
	case c.protobuf == nil:
		return 0, &contentTypeError{fmt.Sprintf("the response seems to be protobuf, which %v cannot be decoded from: want %s", c.typ, JSONType)}
	}
	return encodingProtobuf, nil
}

// SniffedList returns a reader for a list. It waits for the first byte of the body.
// The caller closes the body.
func (c *Codec) SniffedList(body *SniffedBody) (*ListReader, error) {
	format, err := c.sniff(body)
	if err != nil {
		return nil, err
	}
	return c.listIn(format, body), nil
}

// SniffedWatch returns a reader for a watch. The caller closes the body.
func (c *Codec) SniffedWatch(body *SniffedBody) *WatchReader {
	return &WatchReader{source: &sniffedSource{c: c, body: body}}
}

// sniffedSource is a watch whose encoding is detected from its first byte. It does
// not read it before advance is called, because there may be no event yet.
type sniffedSource struct {
	c      *Codec
	body   *SniffedBody
	source watchSource // nil until the first byte has been read
}

func (w *sniffedSource) state() *watchState {
	if w.source == nil {
		return nil
	}
	return w.source.state()
}

func (w *sniffedSource) advance() (Event, error) {
	if w.source == nil {
		format, err := w.c.sniff(w.body)
		if err != nil {
			return Event{}, endOfStream(err)
		}
		w.source = w.c.watchIn(format, w.body)
	}
	return w.source.advance()
}
