package cache

import (
	"context"
	"errors"
	"sync"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

var (
	errBegun   = errors.New("the informer has started, and what it does is settled by then")
	errSettled = errors.New("it is a typed informer, whose Options have it")
)

// lateOptions are those options of a typed informer that are set after it is
// made and before it runs.
type lateOptions struct {
	mu    sync.Mutex
	begun bool
	// What follows is written under mu and before begun; from then on it is only
	// read, by what Run starts.
	transform         TransformFunc
	watchErrorHandler WatchErrorHandlerWithContext
	// view is the reflector that the handler is given.
	view *Reflector
	// unhandled is told where there is no handler.
	unhandled func(context.Context, error)
}

// set changes something before the informer runs.
func (l *lateOptions) set(change func(*lateOptions)) error {
	if l == nil {
		return errSettled
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun {
		return errBegun
	}
	change(l)
	return nil
}

// begin settles the options.
//
// Possible errors: informer.ErrRunning.
func (l *lateOptions) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun {
		return informer.ErrRunning
	}
	l.begun = true
	return nil
}

// transformed is the Transform of the typed informer.
func (l *lateOptions) transformed(obj any) (out any, keep bool, err error) {
	if l.transform == nil {
		return obj, true, nil
	}
	out, err = l.transform(obj)
	return out, true, err
}

// failed is the WatchErrorHandler of the typed informer.
func (l *lateOptions) failed(ctx context.Context, err error) {
	if l.watchErrorHandler == nil {
		l.unhandled(ctx, err)
		return
	}
	l.watchErrorHandler(ctx, l.view, watchErrorOf(l.view.name, err))
}

// reflectorLog is what is told where there is no handler.
func reflectorLog(name string, l *runLogger) func(context.Context, error) {
	return reflector.LogErrors(name, l.slog())
}
