package reflector

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
)

// Reflector keeps a store equal to what a source serves.
type Reflector[T any] struct {
	source  listwatch.ListerWatcher[T]
	store   Store[T]
	options Options[T]
	state   atomic.Pointer[State]
}

// New returns a reflector that does nothing until it is run. What is wrong with
// its arguments is the error of Run.
func New[T any](source listwatch.ListerWatcher[T], store Store[T], o Options[T]) *Reflector[T] {
	r := &Reflector[T]{source: source, store: store, options: o}
	r.state.Store(&State{Name: o.Name, Phase: Idle})
	return r
}

// Run keeps the store up to date until ctx is done, whatever fails; then it
// returns nil. Every wait in it ends with ctx.
//
// Possible errors: ErrNoSource, ErrNoStore, ErrRunning.
func (r *Reflector[T]) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := r.ListAndWatch(ctx); err != nil && ctx.Err() == nil {
			if r.options.WatchErrorHandler != nil {
				r.options.WatchErrorHandler(ctx, err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
	return nil
}

// ListAndWatch takes over the state of the source once and watches from there
// until everything has to be read again or ctx is done.
func (r *Reflector[T]) ListAndWatch(ctx context.Context) error {
	list, err := r.source.List(ctx, metav1.ListOptions{})
	if err != nil {
		return &Error{Name: r.options.Name, Verb: "list", Reason: Other, Err: err}
	}
	if err := r.store.Replace(list.Items(), list.ResourceVersion); err != nil {
		return err
	}
	version := list.ResourceVersion()
	w, err := r.source.Watch(ctx, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		event, err := w.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch event.Type {
		case watch.Added:
			err = r.store.Add(event.Object)
		case watch.Modified:
			err = r.store.Update(event.Object)
		case watch.Deleted:
			err = r.store.Delete(event.Object)
		case watch.Bookmark:
			r.store.Bookmark(event.ResourceVersion)
		}
		if err != nil {
			return err
		}
		r.state.Store(&State{Name: r.options.Name, Phase: Watching, Version: event.ResourceVersion})
	}
}

// LastSyncResourceVersion is the newest version that the store has been told.
// What the store makes of it, the store knows.
func (r *Reflector[T]) LastSyncResourceVersion() string { return r.State().Version }

// State tells what the reflector is doing. It may be called at any time.
func (r *Reflector[T]) State() State { return *r.state.Load() }
