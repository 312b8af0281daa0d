package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"
)

// timeoutError is a server that kept a request waiting for too long.
type timeoutError struct {
	server string
	after  time.Duration
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("timed out after %v waiting for %s", e.after, e.server)
}

// Timeout makes it a timeout to package net.
func (e *timeoutError) Timeout() bool { return true }

// Is makes it a deadline that was exceeded, which it is.
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// stall is Timeout's clock. It runs from the start of a request; what stops it
// is how the answer is used:
//
//   - whole: the closing of the body;
//   - in parts: the beginning of the answer. After that it runs anew while a
//     reader waits for bytes, and stands while he is busy with them;
//   - without end, a watch: the beginning of the answer.
type stall struct {
	timer *time.Timer // nil: there is no bound
	after time.Duration
	end   context.CancelCauseFunc
}

// watchStall begins the clock; the context ends when it runs out.
func watchStall(ctx context.Context, after time.Duration, server *url.URL) (context.Context, *stall) {
	if after <= 0 {
		return ctx, &stall{}
	}
	ctx, end := context.WithCancelCause(ctx)
	s := &stall{after: after, end: end}
	s.timer = time.AfterFunc(after, func() { end(&timeoutError{plainURL(server), after}) })
	return ctx, s
}

func (s *stall) pause() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

func (s *stall) again() {
	if s.timer != nil {
		s.timer.Reset(s.after)
	}
}

// stop lets go of the timer and of the context.
func (s *stall) stop() {
	if s.timer != nil {
		s.timer.Stop()
		s.end(nil)
	}
}

// stallingBody is the body of an answer under the clock.
type stallingBody struct {
	io.ReadCloser
	ctx   context.Context
	stall *stall
	parts bool
}

func (b *stallingBody) Read(p []byte) (int, error) {
	if b.parts {
		b.stall.again()
		defer b.stall.pause()
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = orTimeout(b.ctx, err)
	}
	return n, err
}

func (b *stallingBody) Close() error {
	defer b.stall.stop()
	return b.ReadCloser.Close()
}

// orTimeout is the timeout that has ended a context, if that is why err came.
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
