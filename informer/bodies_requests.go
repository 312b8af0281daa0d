package informer

import (
	"context"
	"errors"
	"sync"

	"github.com/thinformer/thinformer/internal/resourceversion"
)

// bodyRequests shares each running request for a body between its readers.
type bodyRequests[T any] struct {
	// slots limits the requests that run at the same time. It is nil without a limit.
	slots chan struct{}

	mu     sync.Mutex
	closed error
	// newest has the running request of each key with the newest version, running has
	// all running requests.
	newest  map[string]*bodyRequest[T]
	running map[*bodyRequest[T]]struct{}
}

// bodyRequest is one request with its readers.
type bodyRequest[T any] struct {
	// version is the version that the body must have at least, in the same epoch.
	version bodyVersion
	ctx     context.Context
	cancel  context.CancelCauseFunc
	// readers is the number of readers that wait. The mu of bodyRequests guards it.
	readers int

	// result and err are written before done is closed.
	done   chan struct{}
	result bodyRead[T]
	err    error
}

// bodyRead is the result of a request. found is false if the server does not have the
// object.
type bodyRead[T any] struct {
	obj     T
	version string
	found   bool
}

var (
	errNoReaders    = errors.New("all readers have given up")
	errRequestEnded = errors.New("the Transform ended the goroutine of the request")
)

// read waits for a running request whose result is not older than version, or for a new
// one, which start runs in a goroutine.
func (r *bodyRequests[T]) read(ctx context.Context, key string, version bodyVersion, start func(*bodyRequest[T]) error) (bodyRead[T], error) {
	var none bodyRead[T]
	if err := ctx.Err(); err != nil {
		return none, err
	}
	q, isNew, err := r.join(key, version)
	if err != nil {
		return none, err
	}
	if isNew {
		if err := start(q); err != nil {
			r.finish(key, q, none, err)
		}
	}
	select {
	case <-q.done:
		return q.result, q.err
	case <-ctx.Done():
		r.leave(key, q)
		return none, ctx.Err()
	}
}

func (r *bodyRequests[T]) join(key string, version bodyVersion) (q *bodyRequest[T], isNew bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed != nil {
		return nil, false, r.closed
	}
	if q = r.newest[key]; q != nil && q.version.epoch == version.epoch && resourceversion.IsAtLeast(q.version.text, version.text) {
		q.readers++
		return q, false, nil
	}
	q = &bodyRequest[T]{version: version, readers: 1, done: make(chan struct{})}
	// The values of a reader's context do not belong to the other readers.
	q.ctx, q.cancel = context.WithCancelCause(context.Background())
	if r.running == nil {
		r.newest, r.running = map[string]*bodyRequest[T]{}, map[*bodyRequest[T]]struct{}{}
	}
	r.newest[key], r.running[q] = q, struct{}{}
	return q, true, nil
}

// leave removes a reader, and cancels the request of the last one.
func (r *bodyRequests[T]) leave(key string, q *bodyRequest[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q.readers--; q.readers == 0 {
		r.forget(key, q)
		q.cancel(errNoReaders)
	}
}

// forget keeps readers from joining a request. It needs mu.
func (r *bodyRequests[T]) forget(key string, q *bodyRequest[T]) {
	if r.newest[key] == q {
		delete(r.newest, key)
	}
}

// run sends the request with fetch as soon as few enough others are running.
func (r *bodyRequests[T]) run(key string, q *bodyRequest[T], fetch func(context.Context) (bodyRead[T], error)) {
	var result bodyRead[T]
	err := errRequestEnded
	defer func() { r.finish(key, q, result, err) }() // deferred, since fetch calls a user's function
	if r.slots != nil {
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
		case <-q.ctx.Done():
			err = context.Cause(q.ctx)
			return
		}
	}
	if result, err = fetch(q.ctx); err != nil && q.ctx.Err() != nil {
		err = context.Cause(q.ctx)
	}
}

func (r *bodyRequests[T]) finish(key string, q *bodyRequest[T], result bodyRead[T], err error) {
	r.mu.Lock()
	r.forget(key, q)
	delete(r.running, q)
	r.mu.Unlock()
	q.result, q.err = result, err
	close(q.done)
	q.cancel(nil)
}

// cancelAll ends all requests, and refuses new ones.
func (r *bodyRequests[T]) cancelAll(reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = reason
	for q := range r.running {
		q.cancel(reason)
	}
}
