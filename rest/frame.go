package rest

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// window is the part of a body that is being looked at: what has been read and
// not yet been used, in one piece. It is read into straight from the body, and
// objects are decoded out of it, so between the connection and an object there
// is this one copy of the bytes.
//
// It does the work of what client-go calls a Framer. That cuts a watch into
// frames with a FrameReader, each of which is copied out, decoded as a
// WatchEvent by a streaming.Decoder, and its object decoded once more. Lists
// have no frames there: the whole body is read before it is decoded. Here an
// item of a list and a frame of a watch are the same thing, a value that ends
// somewhere in the window, and nobody who is given one may keep its bytes: the
// next one takes their place.
type window struct {
	body io.Reader
	// small is the buffer to begin with and to come back to; buf is small, or
	// one that has been made for a value that did not fit.
	small, buf []byte
	// buf[from:to] has been read and not used.
	from, to int
	// before is how many bytes of the body have gone through before buf[0].
	before int64
	// large is where in the body a buffer larger than small was last needed.
	large int64
	// limit is the longest value, in bytes.
	limit int
	// ended is what the body's Read said at last, once it has said something.
	ended  error
	framer jsonobj.Framer
}

// minRead is the least room that is offered to the body.
const minRead = 4 << 10

func (w *window) begin(body io.Reader, small []byte, o DecodeOptions) {
	*w = window{body: body, small: small, buf: small, limit: int(o.MaxObjectBytes), framer: w.framer}
	w.framer.MaxDepth = o.MaxDepth
}

// unread is what there is. It is valid until more is called.
func (w *window) unread() []byte { return w.buf[w.from:w.to] }

// use passes n bytes.
func (w *window) use(n int) { w.from += n }

// offset in the body of the first unread byte.
func (w *window) offset() int64 { return w.before + int64(w.from) }

// more reads once, and returns when there is at least one byte more. Its error
// is the body's, and stays.
func (w *window) more() error {
	if w.ended != nil {
		return w.ended
	}
	w.makeRoom()
	for range 100 {
		n, err := w.body.Read(w.buf[w.to:])
		w.to += n
		w.ended = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	w.ended = io.ErrNoProgress
	return w.ended
}

// makeRoom moves what is unread to the front, or to a larger buffer. It moves
// at most as much as it makes free, so that reading byte by byte stays linear.
func (w *window) makeRoom() {
	unread := w.to - w.from
	longest := max(len(w.small), w.limit+minRead)
	if len(w.buf) > len(w.small) {
		w.comeBack(unread)
	}
	if unread == 0 {
		w.move(w.buf)
	}
	if len(w.buf)-w.to >= minRead {
		return
	}
	switch {
	case w.from >= len(w.buf)/2 || w.from > 0 && len(w.buf) == longest:
		w.move(w.buf)
	case len(w.buf) < longest:
		w.move(make([]byte, min(2*len(w.buf), longest)))
		w.large = w.offset()
	}
}

// comeBack gives up a large buffer when nothing is in it, as in a watch that
// has gone quiet, or when much has gone through that did not need it.
func (w *window) comeBack(unread int) {
	switch {
	case unread > len(w.small)/2:
		w.large = w.offset()
	case unread == 0 || w.offset()-w.large > 8*int64(len(w.buf)):
		w.move(w.small)
	}
}

func (w *window) move(buf []byte) {
	n := copy(buf, w.buf[w.from:w.to])
	w.before += int64(w.from)
	w.buf, w.from, w.to = buf, 0, n
}

// peek passes white space and returns the byte after it, without using it.
func (w *window) peek() (byte, error) { return w.pass(w.limit) }

// wait is peek where nothing has begun: something between here and the server
// may keep an idle connection alive with blanks, for as long as it likes.
func (w *window) wait() (byte, error) { return w.pass(math.MaxInt) }

// pass is peek with a bound for the white space.
func (w *window) pass(most int) (byte, error) {
	for spaces := 0; ; {
		n := jsonobj.Space(w.unread())
		w.use(n)
		if w.from < w.to {
			return w.buf[w.from], nil
		}
		if spaces += n; spaces > most {
			return 0, w.tooLong("white space")
		}
		if err := w.more(); err != nil {
			return 0, err
		}
	}
}

// value is the JSON value that comes next, all of it, and does not use it. It
// looks at each byte once, however few of them each read brings.
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
		if err := w.more(); err != nil {
			return nil, inside(err)
		}
	}
}

// skipValue passes the JSON value that comes next without ever holding it.
func (w *window) skipValue() error {
	w.framer.Reset()
	for seen := 0; ; {
		n, done, err := w.framer.Next(w.unread())
		if err != nil {
			move(err, -seen, "") // it counts from where the value began
			return err
		}
		w.use(n)
		if seen += n; seen > w.limit {
			return w.tooLong("a value")
		}
		if done {
			return nil
		}
		if err := w.more(); err != nil {
			return inside(err)
		}
	}
}

// fill returns the next n bytes and does not use them. The buffer grows as they
// arrive, and not because something has announced them.
func (w *window) fill(n int) ([]byte, error) {
	for w.to-w.from < n {
		if err := w.more(); err != nil {
			return nil, inside(err)
		}
	}
	return w.unread()[:n], nil
}

// discard passes n bytes without ever holding them all.
func (w *window) discard(n int) error {
	for {
		have := min(n, w.to-w.from)
		w.use(have)
		if n -= have; n == 0 {
			return nil
		}
		if err := w.more(); err != nil {
			return inside(err)
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

// Undecodable tells a reflector why nothing came of the answer.
func (e *tooLongError) Undecodable() bool { return true }

// inside turns the end of a body into an error: something had begun.
func inside(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// failed says what was being decoded, and where in the body and in the object
// it went wrong. It says nothing of what the body holds: that may be secret.
func (w *window) failed(doing, path string, err error) error {
	switch {
	case errors.Is(err, ErrClosed):
		return err // nothing is wrong with the body
	case move(err, int(w.offset()), path):
		return fmt.Errorf("%s: %w", doing, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the body ends too early, at byte %d%s: %w", doing, w.before+int64(w.to), in(path), err)
	}
	err = fmt.Errorf("%s: at byte %d of the body%s: %w", doing, w.offset(), in(path), err)
	if w.ended != nil && errors.Is(err, w.ended) {
		return err // nothing is known to be wrong with the rest of the body
	}
	return &bodyError{err}
}

// bodyError says that a body is not what its content type says.
type bodyError struct{ error }

func (e *bodyError) Unwrap() error { return e.error }

// Undecodable tells a reflector why nothing came of the answer.
func (e *bodyError) Undecodable() bool { return true }

// move tells a *SyntaxError that what it is about stands in something larger,
// at offset and under path. It says whether err is or wraps one.
func move(err error, offset int, path string) bool {
	var syntax *jsonobj.SyntaxError
	if !errors.As(err, &syntax) {
		return false
	}
	syntax.Offset += offset
	syntax.Path = joinPath(path, syntax.Path)
	return true
}

// aboutError says what an error is about. Unlike what fmt.Errorf makes it
// notices when the error is moved.
type aboutError struct {
	what string
	err  error
}

func (e *aboutError) Error() string { return e.what + ": " + e.err.Error() }
func (e *aboutError) Unwrap() error { return e.err }

func in(path string) string {
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
