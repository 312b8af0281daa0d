package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// stream is an open watch. Its reader decodes on the goroutine that calls next;
// whoever stops it while next waits for bytes ends the request instead, which
// ends the wait.
type stream[T any] struct {
	what   string          // is being done, for errors
	opener <-chan struct{} // the Done of the context that it was opened with
	ctx    context.Context
	cancel context.CancelCauseFunc
	body   io.Closer
	reader *watchReader

	// reading is held by next, and by whoever closes the reader.
	reading sync.Mutex
	closed  bool
	final   error // that has ended the stream, and is returned again
}

// errStopped is the cause of a stream's context that stop has ended.
var errStopped = errors.New("the watch was stopped")

// openStream sends a request for a watch.
func openStream[T Object](ctx context.Context, r *Request, c *codec) (*Watch[T], error) {
	r.as(verbWatch)
	if _, set := r.header["Accept"]; !set {
		r.SetHeader("Accept", c.accept(acceptWatch, r.client.config.AcceptContentTypes))
	}
	opener := ctx.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	response, err := r.open(ctx, true)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	reader, err := c.watchReader(response.Header.Get("Content-Type"), response.Body)
	if err != nil {
		cancel(nil)
		response.Body.Close()
		return nil, fmt.Errorf("%s: %w", r.what(), err)
	}
	s := &stream[T]{opener: opener, ctx: ctx, cancel: cancel, body: response.Body, reader: reader, what: r.what()}
	return NewWatch(s.next, s.stop), nil
}

func (s *stream[T]) next(ctx context.Context) (Event[T], error) {
	s.reading.Lock()
	defer s.release()
	// The context that the watch was opened with ends the read by itself.
	if ctx.Done() != nil && ctx.Done() != s.opener {
		defer context.AfterFunc(ctx, func() { s.cancel(&nextEnded{whyOver(ctx, nil)}) })()
	}
	switch {
	case s.final != nil:
		return Event[T]{}, s.final
	case s.ctx.Err() != nil:
		return Event[T]{}, s.over()
	}
	wire, err := s.reader.next()
	if err != nil {
		return Event[T]{}, s.failed(err)
	}
	event := Event[T]{Type: wire.typ, ResourceVersion: wire.resourceVersion, InitialEventsEnd: wire.initialEventsEnd}
	if wire.object != nil {
		event.Object = wire.object.(T)
	}
	return event, nil
}

// failed is what next returns for an error of the reader. All but an ItemError
// is the end: the connection is given back without waiting for Stop.
func (s *stream[T]) failed(err error) error {
	if isItemError(err) && s.ctx.Err() == nil {
		return err
	}
	switch {
	case s.ctx.Err() != nil:
		s.final = s.over()
	case err == io.EOF, isStatusError(err):
		s.final = err
	default:
		s.final = fmt.Errorf("%s: %w", s.what, err)
	}
	s.cancel(errStopped)
	return s.final
}

// over is what next returns when the stream has been ended from this side.
func (s *stream[T]) over() error {
	cause := context.Cause(s.ctx)
	if errors.Is(cause, errStopped) {
		return io.EOF
	}
	if ended, ok := cause.(*nextEnded); ok {
		return fmt.Errorf("%s: %w", s.what, ended.err)
	}
	return fmt.Errorf("%s: %w", s.what, whyOver(s.ctx, nil))
}

// nextEnded is the cause of a stream's context that a context of next has
// ended.
type nextEnded struct{ err error }

func (e *nextEnded) Error() string { return e.err.Error() }

// whyOver is err, unless the context has ended: then it is that, with the cause
// where somebody has given one.
func whyOver(ctx context.Context, err error) error {
	ended := ctx.Err()
	if ended == nil {
		return err
	}
	if cause := context.Cause(ctx); cause != ended {
		return fmt.Errorf("%w: %w", ended, cause)
	}
	return ended
}

func (s *stream[T]) stop() {
	s.cancel(errStopped)
	// If next is reading, it closes what it reads when it returns.
	if s.reading.TryLock() {
		s.release()
	}
}

// release gives reading back, and closes a stream that is over. Whoever ends
// the stream while reading is held leaves the closing to its holder, so it looks
// again after letting go.
func (s *stream[T]) release() {
	for {
		over := s.ctx.Err() != nil
		if over && !s.closed {
			s.closed = true
			s.reader.close()
			s.body.Close()
		}
		s.reading.Unlock()
		if over || s.ctx.Err() == nil || !s.reading.TryLock() {
			return
		}
	}
}

func isStatusError(err error) bool {
	_, ok := err.(*apierrors.StatusError)
	return ok
}
