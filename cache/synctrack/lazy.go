package synctrack

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errNoEvaluate = errors.New("getting a value: Lazy.Evaluate is nil")

// Lazy computes a value when it is needed, and again after each Notify.
type Lazy[T any] struct {
	// Evaluate computes the value. It may be called concurrently: a call that a
	// Notify has made obsolete may still be running when the next one begins.
	Evaluate func() (T, error)

	current atomic.Pointer[evaluation[T]]
}

// evaluation is one value. The lock is held while it is computed, so that all
// callers wait for one call.
type evaluation[T any] struct {
	mu    sync.Mutex
	value atomic.Pointer[T] // nil until it was computed
}

// Notify makes the next Get compute the value again.
func (z *Lazy[T]) Notify() { z.current.Store(&evaluation[T]{}) }

// Get returns the value. If Notify was called since it was computed, Get
// computes it again; concurrent calls of Get wait for the same result. An error
// is returned to one caller and not kept: the next one calls Evaluate again.
func (z *Lazy[T]) Get() (T, error) {
	e := z.current.Load()
	if e == nil {
		z.current.CompareAndSwap(nil, &evaluation[T]{})
		e = z.current.Load()
	}
	if value := e.value.Load(); value != nil {
		return *value, nil
	}
	return e.compute(z.Evaluate)
}

func (e *evaluation[T]) compute(evaluate func() (T, error)) (value T, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if computed := e.value.Load(); computed != nil {
		return *computed, nil
	}
	if evaluate == nil {
		return value, errNoEvaluate
	}
	value, err = evaluate()
	if err == nil {
		e.value.Store(&value)
	}
	return value, err
}
