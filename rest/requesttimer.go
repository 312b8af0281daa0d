package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/thinformer/thinformer/internal/transport"
)

// timeoutError is the error of a request that has exceeded its Timeout.
type timeoutError struct {
	server  string
	timeout time.Duration
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("timed out after %v waiting for %s", e.timeout, e.server)
}

// Timeout implements net.Error.
func (e *timeoutError) Timeout() bool { return true }

// Is makes the error match context.DeadlineExceeded.
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// requestTimer enforces the Timeout of a request. It runs from the start of the
// request until:
//
//   - the body is closed, if the response is read as a whole;
//   - the response header arrives, if it is read incrementally; from then on it
//     runs only while a reader waits for bytes, and restarts with each Read;
//   - the response header arrives, for a watch.
type requestTimer struct {
	timer   *time.Timer // nil: there is no bound
	timeout time.Duration
	cancel  context.CancelCauseFunc
}

// startTimer starts the timer; the context ends when it expires.
func startTimer(ctx context.Context, after time.Duration, server *url.URL) (context.Context, *requestTimer) {
	if after <= 0 {
		return ctx, &requestTimer{}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	t := &requestTimer{timeout: after, cancel: cancel}
	t.timer = time.AfterFunc(after, func() { cancel(&timeoutError{transport.RedactURL(server), after}) })
	return ctx, t
}

func (t *requestTimer) pause() {
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *requestTimer) restart() {
	if t.timer != nil {
		t.timer.Reset(t.timeout)
	}
}

// stop releases the timer and the context.
func (t *requestTimer) stop() {
	if t.timer != nil {
		t.timer.Stop()
		t.cancel(nil)
	}
}

// timeoutBody is the body of a response with a timer.
type timeoutBody struct {
	io.ReadCloser
	ctx         context.Context
	timer       *requestTimer
	incremental bool
}

func (b *timeoutBody) Read(p []byte) (int, error) {
	if b.incremental {
		b.timer.restart()
		defer b.timer.pause()
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = orTimeout(b.ctx, err)
	}
	return n, err
}

func (b *timeoutBody) Close() error {
	defer b.timer.stop()
	return b.ReadCloser.Close()
}

// orTimeout returns the timeoutError that has ended the context, or else err.
func orTimeout(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if timeout, ok := context.Cause(ctx).(*timeoutError); ok {
		return timeout
	}
	return err
}

func isTimeout(err error) bool {
	var timeout *timeoutError
	return errors.As(err, &timeout)
}
