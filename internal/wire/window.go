package wire

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// window is a buffer over a response body. It holds the bytes that have been read
// and not yet consumed, contiguously. Objects are decoded from it directly, so the
// bytes are copied once between connection and object.
//
// It does the work of a Framer in client-go. There, a FrameReader splits a watch
// into frames; each is copied, decoded as a WatchEvent by a streaming.Decoder, and
// its object decoded again. Lists have no frames: the whole body is read before it
// is decoded. Here an item of a list and a frame of a watch are the same: a value
// that ends somewhere in the window. Its bytes are valid until the next read.
type window struct {
	body io.Reader
	// initial is the buffer to begin with and to return to. buf is initial, or a
	// larger buffer for a value that did not fit.
	initial, buf []byte
	// buf[from:to] has been read and not consumed.
	from, to int
	// offsetOfBuf is the offset of buf[0] in the body.
	offsetOfBuf int64
	// largeNeededAt is the offset in the body at which a larger buffer was last
	// needed.
	largeNeededAt int64
	// hasShrunk: a larger buffer was released.
	hasShrunk bool
	// limit bounds the length of a value, in bytes.
	limit int
	// closed is Options.Closed.
	closed error
	// readErr is the final error of the body's Read, if any.
	readErr error
	framer  jsonobj.Framer
}

const (
	// minRead is the minimum free space for a read from the body.
	minRead = 4 << 10
	// maxInitial is the length up to which a buffer that is needed again becomes the
	// initial one. A watch whose events need it does not allocate it for each event.
	maxInitial = 16 << 10
)

func (w *window) reset(body io.Reader, small []byte, o Options) {
	*w = window{body: body, initial: small, buf: small, limit: int(o.MaxObjectBytes), closed: o.Closed, framer: w.framer}
	w.framer.MaxDepth = o.MaxDepth
}

// unread returns the unconsumed bytes. They are valid until readMore is called.
func (w *window) unread() []byte { return w.buf[w.from:w.to] }

// skip consumes n bytes.
func (w *window) skip(n int) { w.from += n }

// offset returns the offset in the body of the first unconsumed byte.
func (w *window) offset() int64 { return w.offsetOfBuf + int64(w.from) }

// readMore reads until there is at least one more byte. An error of the body is
// returned by all later calls.
func (w *window) readMore() error {
	if w.readErr != nil {
		return w.readErr
	}
	w.makeSpace()
	for range 100 {
		n, err := w.body.Read(w.buf[w.to:])
		w.to += n
		w.readErr = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	w.readErr = io.ErrNoProgress
	return w.readErr
}

// makeSpace moves the unread bytes to the front, or to a larger buffer. It moves at
// most as many bytes as it frees, so that reading byte by byte stays linear.
func (w *window) makeSpace() {
	unread := w.to - w.from
	longest := max(len(w.initial), w.limit+minRead)
	if len(w.buf) > len(w.initial) {
		w.shrink(unread)
	}
	if unread == 0 {
		w.moveTo(w.buf)
	}
	if len(w.buf)-w.to >= minRead {
		return
	}
	switch {
	case w.from >= len(w.buf)/2 || w.from > 0 && len(w.buf) == longest:
		w.moveTo(w.buf)
	case len(w.buf) < longest:
		w.moveTo(make([]byte, min(2*len(w.buf), longest)))
		w.largeNeededAt = w.offset()
		if w.hasShrunk && len(w.buf) <= maxInitial {
			w.initial = w.buf
		}
	}
}

// shrink releases a large buffer when it is empty, as in a quiet watch, or after
// many bytes that did not need it.
func (w *window) shrink(unread int) {
	switch {
	case unread > len(w.initial)/2:
		w.largeNeededAt = w.offset()
	case unread == 0 || w.offset()-w.largeNeededAt > 8*int64(len(w.buf)):
		w.moveTo(w.initial)
		w.hasShrunk = true
	}
}

func (w *window) moveTo(buf []byte) {
	n := copy(buf, w.buf[w.from:w.to])
	w.offsetOfBuf += int64(w.from)
	w.buf, w.from, w.to = buf, 0, n
}

// peek skips white space and returns the next byte without consuming it.
func (w *window) peek() (byte, error) { return w.skipSpace(w.limit) }

// peekIdle is peek between two values: a proxy may keep an idle connection alive
// with white space, without a bound.
func (w *window) peekIdle() (byte, error) { return w.skipSpace(math.MaxInt) }

// skipSpace is peek with a bound for the white space.
func (w *window) skipSpace(most int) (byte, error) {
	for spaces := 0; ; {
		n := jsonobj.Space(w.unread())
		w.skip(n)
		if w.from < w.to {
			return w.buf[w.from], nil
		}
		if spaces += n; spaces > most {
			return 0, w.tooLong("white space")
		}
		if err := w.readMore(); err != nil {
			return 0, err
		}
	}
}

// value returns the next JSON value, complete, without consuming it. It examines
// each byte once, however few bytes each read returns.
func (w *window) value() ([]byte, error) {
	w.framer.Reset()
	for seen := 0; ; {
		n, done, err := w.framer.Next(w.unread()[seen:])
		if err != nil {
			return nil, err
		}
		if seen += n; seen > w.limit {
			return nil, w.tooLong("a value")
		}
		if done {
			return w.unread()[:seen], nil
		}
		if err := w.readMore(); err != nil {
			return nil, unexpectedEOF(err)
		}
	}
}

// skipValue consumes the next JSON value without buffering it.
func (w *window) skipValue() error {
	w.framer.Reset()
	for seen := 0; ; {
		n, done, err := w.framer.Next(w.unread())
		if err != nil {
			shiftError(err, -seen, "") // its offset is relative to the value
			return err
		}
		w.skip(n)
		if seen += n; seen > w.limit {
			return w.tooLong("a value")
		}
		if done {
			return nil
		}
		if err := w.readMore(); err != nil {
			return unexpectedEOF(err)
		}
	}
}

// peekN returns the next n bytes without consuming them. The buffer grows as they
// arrive, not by an announced length.
func (w *window) peekN(n int) ([]byte, error) {
	for w.to-w.from < n {
		if err := w.readMore(); err != nil {
			return nil, unexpectedEOF(err)
		}
	}
	return w.unread()[:n], nil
}

// discard consumes n bytes without buffering them.
func (w *window) discard(n int) error {
	for {
		have := min(n, w.to-w.from)
		w.skip(have)
		if n -= have; n == 0 {
			return nil
		}
		if err := w.readMore(); err != nil {
			return unexpectedEOF(err)
		}
	}
}

func (w *window) tooLong(what string) error {
	return &tooLongError{what: what, limit: w.limit}
}

type tooLongError struct {
	what  string
	limit int
}

func (e *tooLongError) Error() string {
	return fmt.Sprintf("%s of more than %d bytes (DecodeOptions.MaxObjectBytes)", e.what, e.limit)
}

// Undecodable marks a failure that no retry can fix, for a reflector.
func (e *tooLongError) Undecodable() bool { return true }

// unexpectedEOF converts io.EOF within a value into io.ErrUnexpectedEOF.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// wrap adds the operation, and the position in the body and in the object. It shows
// nothing of the body, which may be secret.
func (w *window) wrap(operation, path string, err error) error {
	switch {
	case w.closed != nil && errors.Is(err, w.closed):
		return err // nothing is wrong with the body
	case shiftError(err, int(w.offset()), path):
		return fmt.Errorf("%s: %w", operation, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the body ends too early, at byte %d%s: %w", operation, w.offsetOfBuf+int64(w.to), pathSuffix(path), err)
	}
	err = fmt.Errorf("%s: at byte %d of the body%s: %w", operation, w.offset(), pathSuffix(path), err)
	if w.readErr != nil && errors.Is(err, w.readErr) {
		return err // nothing is known to be wrong with the rest of the body
	}
	return &bodyError{err}
}

// bodyError is the error of a body that is not of its content type.
type bodyError struct{ error }

func (e *bodyError) Unwrap() error { return e.error }

// Undecodable marks a failure that no retry can fix, for a reflector.
func (e *bodyError) Undecodable() bool { return true }

// shiftError adds an offset and a path to a *SyntaxError that was found in a part
// of a larger value. It reports whether err is or wraps one.
func shiftError(err error, offset int, path string) bool {
	var syntax *jsonobj.SyntaxError
	if !errors.As(err, &syntax) {
		return false
	}
	syntax.Offset += offset
	syntax.Path = joinPath(path, syntax.Path)
	return true
}

// prefixError adds a prefix to an error. Unlike an error of fmt.Errorf, its text
// includes a later shiftError.
type prefixError struct {
	what string
	err  error
}

func (e *prefixError) Error() string { return e.what + ": " + e.err.Error() }
func (e *prefixError) Unwrap() error { return e.err }

func pathSuffix(path string) string {
	if path == "" {
		return ""
	}
	return ", in " + path
}

func joinPath(outer, inner string) string {
	if outer == "" || inner == "" {
		return outer + inner
	}
	return outer + "." + inner
}
