package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/attempt"
	"github.com/thinformer/thinformer/listwatch"
)

var (
	errNoList  = errors.New("the source returned a nil list")
	errNoWatch = errors.New("the source returned a nil watch")
)

// recoverAsError turns a panic of user code into an error. It must be deferred.
func recoverAsError(what string, err *error) {
	if p := recover(); p != nil {
		*err = panicError(what, p)
	}
}

func panicError(what string, p any) error {
	if err, ok := p.(error); ok {
		return fmt.Errorf("panic in %s: %w\n%s", what, err, debug.Stack())
	}
	return fmt.Errorf("panic in %s: %v\n%s", what, p, debug.Stack())
}

// openList calls List of the source.
func (r *Reflector[T]) openList(ctx context.Context, o metav1.ListOptions) (list *listwatch.List[T], err error) {
	defer recoverAsError("List", &err)
	list, err = r.source.List(attempt.Once(ctx), o)
	if err == nil && list == nil {
		err = errNoList
	}
	return list, err
}

// openWatch is an open watch with its idle timer.
type openWatch[T any] struct {
	ctx   context.Context
	idle  *idleTimer
	watch *listwatch.Watch[T]
	// first receives the event that peek has begun to read; nil if there is
	// none.
	first chan received[T]
}

// received is the result of one Next.
type received[T any] struct {
	event listwatch.Event[T]
	err   error
}

// openWatch calls Watch of the source. The context of the watch is also used for
// each Next.
func (r *Reflector[T]) openWatch(ctx context.Context, o metav1.ListOptions, idleTimeout time.Duration) (*openWatch[T], error) {
	w := &openWatch[T]{}
	w.ctx, w.idle = withIdleTimeout(ctx, idleTimeout)
	seconds := int64(r.watchTimeout().Seconds() * (1 + rand.Float64()))
	o.TimeoutSeconds, o.AllowWatchBookmarks = &seconds, true
	r.recovery.begin(listwatch.RequestKind{Reconnect: r.machine.past.end == endConnectionLost}, w.idle)
	var err error
	w.watch, err = r.askWatch(w.ctx, o)
	if err != nil {
		timedOut := w.idle.expired.Load()
		err = errorOrAbandoned(w.ctx, err)
		w.idle.close()
		if timedOut {
			err = &idleTimeoutError{idleTimeout}
		}
		return nil, err
	}
	return w, nil
}

func (r *Reflector[T]) askWatch(ctx context.Context, o metav1.ListOptions) (w *listwatch.Watch[T], err error) {
	defer recoverAsError("Watch", &err)
	w, err = r.source.Watch(attempt.Once(ctx), o)
	if err == nil && w == nil {
		err = errNoWatch
	}
	return w, err
}

// next waits for the next event.
func (w *openWatch[T]) next() (event listwatch.Event[T], err error) {
	if w.first != nil {
		w.idle.awaitNext()
		got := <-w.first
		w.first = nil
		return got.event, got.err
	}
	return w.receive()
}

func (w *openWatch[T]) receive() (event listwatch.Event[T], err error) {
	defer recoverAsError("Next", &err)
	w.idle.awaitNext()
	return w.watch.Next(w.ctx)
}

// peek waits up to limit for the first event, and returns its error if it
// failed. The event itself is returned by the following call of next.
func (w *openWatch[T]) peek(limit time.Duration) error {
	first := make(chan received[T], 1)
	go func() {
		event, err := w.receive()
		first <- received[T]{event, err}
	}()
	w.first = first
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case got := <-first:
		first <- got
		return got.err
	case <-timer.C:
		return nil
	}
}

// close ends the watch and releases its resources.
func (w *openWatch[T]) close() (err error) {
	w.idle.close()
	if w.first != nil {
		<-w.first
	}
	defer recoverAsError("Stop", &err)
	w.watch.Stop()
	return nil
}

// idleTimeoutError reports that nothing was received within limit.
type idleTimeoutError struct{ limit time.Duration }

func (e *idleTimeoutError) Error() string { return fmt.Sprintf("nothing was received for %v", e.limit) }

// Timeout classifies the error as a timeout, as in package net.
func (e *idleTimeoutError) Timeout() bool { return true }

func (r *Reflector[T]) watchTimeout() time.Duration {
	if r.options.WatchTimeout > 0 {
		return r.options.WatchTimeout
	}
	return defaultWatchTimeout
}

func (r *Reflector[T]) idleTimeout() time.Duration {
	if r.options.IdleTimeout == 0 {
		return defaultIdleTimeout
	}
	return r.options.IdleTimeout
}

const (
	defaultWatchTimeout = 5 * time.Minute
	defaultIdleTimeout  = 3 * time.Minute
)
