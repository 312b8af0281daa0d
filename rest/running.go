package rest

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// running is all that a connection has under way, so that it can be ended.
type running struct {
	// ctx ends with the connection, for the reason ErrClosed.
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	closed bool
	// wg counts what has begun and not ended. Nothing is added to it once
	// closed is set.
	wg sync.WaitGroup
}

func newRunning() *running {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &running{ctx: ctx, cancel: cancel}
}

// begin is false if the connection has been closed; otherwise end must follow.
func (r *running) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.wg.Add(1)
	return true
}

func (r *running) end() { r.wg.Done() }

// stop ends everything and lets nothing more begin; wait follows.
func (r *running) stop() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel(ErrClosed)
}

func (r *running) wait() { r.wg.Wait() }

// bind is a context that ends with ctx and with the connection. release must be
// called when it is no longer needed.
func (r *running) bind(ctx context.Context) (bound context.Context, release func()) {
	bound, cancel := context.WithCancelCause(ctx)
	unbind := context.AfterFunc(r.ctx, func() { cancel(ErrClosed) })
	return bound, func() {
		unbind()
		cancel(context.Canceled)
	}
}

// endingBody calls ended once, when the body has been read to its end, has
// failed or is closed.
type endingBody struct {
	io.ReadCloser
	ended func()
	// explain turns a failure of Read into what the caller is told; nil tells
	// it as it is.
	explain func(error) error
}

func onEnd(response *http.Response, ended func(), explain func(error) error) {
	response.Body = &endingBody{ReadCloser: response.Body, ended: sync.OnceFunc(ended), explain: explain}
}

func (b *endingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		if err != io.EOF && b.explain != nil {
			err = b.explain(err)
		}
		b.ended()
	}
	return n, err
}

func (b *endingBody) Close() error {
	err := b.ReadCloser.Close()
	b.ended()
	return err
}
