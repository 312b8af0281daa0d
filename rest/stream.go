package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/internal/wire"
)

// stream is an open watch. Its reader decodes on the goroutine that calls next.
// stop cancels the request, which ends a next that waits for bytes.
type stream[T any] struct {
	operation string          // description of the request for errors
	openDone  <-chan struct{} // Done of the context that it was opened with
	ctx       context.Context
	cancel    context.CancelCauseFunc
	body      io.Closer
	reader    *wire.WatchReader

	// readMu is held by next, and while the reader is closed.
	readMu sync.Mutex
	closed bool
	final  error // the error that ended the stream, returned again
}

// errStopped is the cause of a stream's context that stop has ended.
var errStopped = errors.New("the watch was stopped")

// openStream sends a request for a watch.
func openStream[T Object](ctx context.Context, r *Request, c *wire.Codec) (*Watch[T], error) {
	r.withVerb(verbWatch)
	if _, set := r.header["Accept"]; !set {
		r.SetHeader("Accept", c.Accept(wire.AcceptWatch, r.client.config.AcceptContentTypes))
	}
	openDone := ctx.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	response, err := r.open(ctx, true)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	reader, err := c.WatchReader(response.Header.Get("Content-Type"), response.Body)
	if err != nil {
		cancel(nil)
		response.Body.Close()
		return nil, fmt.Errorf("%s: %w", r.describe(), err)
	}
	s := &stream[T]{openDone: openDone, ctx: ctx, cancel: cancel, body: response.Body, reader: reader, operation: r.describe()}
	return NewWatch(s.next, s.stop), nil
}

func (s *stream[T]) next(ctx context.Context) (Event[T], error) {
	s.readMu.Lock()
	defer s.unlock()
	// The context that the watch was opened with ends the read already.
	if ctx.Done() != nil && ctx.Done() != s.openDone {
		defer context.AfterFunc(ctx, func() { s.cancel(&nextContextError{contextError(ctx, nil)}) })()
	}
	switch {
	case s.final != nil:
		return Event[T]{}, s.final
	case s.ctx.Err() != nil:
		return Event[T]{}, s.endError()
	}
	read, err := s.reader.Next()
	if err != nil {
		return Event[T]{}, s.endWith(convertItemError(err))
	}
	event := Event[T]{Type: read.Type, ResourceVersion: read.ResourceVersion, InitialEventsEnd: read.InitialEventsEnd}
	if read.Object != nil {
		event.Object = read.Object.(T)
	}
	return event, nil
}

// endWith returns the error of next for an error of the reader. Any error except an
// ItemError ends the stream and releases its connection without Stop.
func (s *stream[T]) endWith(err error) error {
	if isItemError(err) && s.ctx.Err() == nil {
		return err
	}
	switch {
	case s.ctx.Err() != nil:
		s.final = s.endError()
	case err == io.EOF, isStatusError(err):
		s.final = withRequestDescription(err, s.operation)
	default:
		s.final = fmt.Errorf("%s: %w", s.operation, err)
	}
	s.cancel(errStopped)
	return s.final
}

// endError returns the error of next after the stream was ended by the caller.
func (s *stream[T]) endError() error {
	cause := context.Cause(s.ctx)
	if errors.Is(cause, errStopped) {
		return io.EOF
	}
	if ended, ok := cause.(*nextContextError); ok {
		return fmt.Errorf("%s: %w", s.operation, ended.err)
	}
	return fmt.Errorf("%s: %w", s.operation, contextError(s.ctx, nil))
}

// nextContextError is the cause of a stream's context that the context of a next
// has ended.
type nextContextError struct{ err error }

func (e *nextContextError) Error() string { return e.err.Error() }

// contextError returns the error and cause of ctx if it has ended, or else err.
func contextError(ctx context.Context, err error) error {
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
	// If next is running, it closes the reader when it returns.
	if s.readMu.TryLock() {
		s.unlock()
	}
}

// unlock releases readMu, and closes a stream that has ended. If the stream ends
// while readMu is held, its holder closes it, so unlock checks again after
// releasing it.
func (s *stream[T]) unlock() {
	for {
		ended := s.ctx.Err() != nil
		if ended && !s.closed {
			s.closed = true
			s.reader.Close()
			s.body.Close()
		}
		s.readMu.Unlock()
		if ended || s.ctx.Err() == nil || !s.readMu.TryLock() {
			return
		}
	}
}

func isStatusError(err error) bool {
	_, ok := err.(*apierrors.StatusError)
	return ok
}
