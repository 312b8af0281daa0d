package transport

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// operations tracks the operations in progress on a connection, so that they can be
// ended.
type operations struct {
	// ctx ends with the connection, with the cause ErrClosed.
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	closed bool
	// wg counts the operations in progress. Nothing is added to it once closed is
	// set.
	wg sync.WaitGroup
}

func newOperations() *operations {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &operations{ctx: ctx, cancel: cancel}
}

// begin returns false if the connection has been closed; otherwise end must follow.
func (o *operations) begin() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.wg.Add(1)
	return true
}

func (o *operations) isClosed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

func (o *operations) end() { o.wg.Done() }

// stop ends all operations and prevents new ones; wait follows.
func (o *operations) stop() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.cancel(ErrClosed)
}

func (o *operations) wait() { o.wg.Wait() }

// bind returns a context that ends with ctx and with the connection. release must
// be called when it is no longer needed.
func (o *operations) bind(ctx context.Context) (bound context.Context, release func()) {
	bound, cancel := context.WithCancelCause(ctx)
	unbind := context.AfterFunc(o.ctx, func() { cancel(ErrClosed) })
	return bound, func() {
		unbind()
		cancel(context.Canceled)
	}
}

// endingBody calls ended once, when the body has been read to its end, has failed
// or is closed.
type endingBody struct {
	io.ReadCloser
	ended func()
	// explain converts an error of Read; nil returns it unchanged.
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
