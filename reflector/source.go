package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/listwatch"
)

var (
	errNoList  = errors.New("the source returned no list")
	errNoWatch = errors.New("the source returned no watch")
)

// recovered makes an error of a panic in what belongs to a user, and is to be
// deferred.
func recovered(what string, err *error) {
	if p := recover(); p != nil {
		*err = panicked(what, p)
	}
}

func panicked(what string, p any) error {
	if err, ok := p.(error); ok {
		return fmt.Errorf("panic in %s: %w\n%s", what, err, debug.Stack())
	}
	return fmt.Errorf("panic in %s: %v\n%s", what, p, debug.Stack())
}

// openList asks the source for a list.
func (r *Reflector[T]) openList(ctx context.Context, o metav1.ListOptions) (list *listwatch.List[T], err error) {
	defer recovered("List", &err)
	list, err = r.source.List(ctx, o)
	if err == nil && list == nil {
		err = errNoList
	}
	return list, err
}

// An open watch, with what ends it when nothing comes.
type openWatch[T any] struct {
	ctx     context.Context
	silence *silence
	watch   *listwatch.Watch[T]
	// until is when the server was asked to end it, or a little before.
	until time.Time
}

// clockSlack is how much earlier a server may end a watch than it was asked to.
const clockSlack = 5 * time.Second

// openWatch asks the source for a watch. Its context is that of each Next, so
// that none needs one of its own.
func (r *Reflector[T]) openWatch(ctx context.Context, o metav1.ListOptions, patience time.Duration) (*openWatch[T], error) {
	w := &openWatch[T]{}
	w.ctx, w.silence = listen(ctx, patience)
	seconds := int64(r.watchTimeout().Seconds() * (1 + rand.Float64()))
	o.TimeoutSeconds, o.AllowWatchBookmarks = &seconds, true
	w.until = time.Now().Add(time.Duration(seconds)*time.Second - clockSlack)
	var err error
	w.watch, err = r.askWatch(w.ctx, o)
	if err != nil {
		silent := w.silence.broken.Load()
		w.silence.close()
		if silent {
			err = &silentError{patience}
		}
		return nil, err
	}
	return w, nil
}

func (r *Reflector[T]) askWatch(ctx context.Context, o metav1.ListOptions) (w *listwatch.Watch[T], err error) {
	defer recovered("Watch", &err)
	w, err = r.source.Watch(ctx, o)
	if err == nil && w == nil {
		err = errNoWatch
	}
	return w, err
}

// next waits for the next event.
func (w *openWatch[T]) next() (event listwatch.Event[T], err error) {
	defer recovered("Next", &err)
	w.silence.await()
	return w.watch.Next(w.ctx)
}

// close ends the watch and releases what it holds.
func (w *openWatch[T]) close() (err error) {
	w.silence.close()
	defer recovered("Stop", &err)
	w.watch.Stop()
	return nil
}

// silentError says that nothing came for so long.
type silentError struct{ limit time.Duration }

func (e *silentError) Error() string { return fmt.Sprintf("nothing has come for %v", e.limit) }

// Timeout makes it a timeout to package net.
func (e *silentError) Timeout() bool { return true }

func (r *Reflector[T]) watchTimeout() time.Duration {
	if r.options.WatchTimeout > 0 {
		return r.options.WatchTimeout
	}
	return defaultWatchTimeout
}

func (r *Reflector[T]) patience() time.Duration {
	if r.options.Silence == 0 {
		return defaultSilence
	}
	return r.options.Silence
}

const (
	defaultWatchTimeout = 5 * time.Minute
	defaultSilence      = 3 * time.Minute
)
