// Package resume goes on with a watch after a break: step 5 of the course.
package resume

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
)

// NewFollower returns a Follower that passes the events of watcher to store.
func NewFollower(watcher listwatch.Watcher[stack.Object], store stack.Store, backoff stack.Backoff, silence time.Duration) stack.Follower {
	return &follower{watcher, store, backoff, silence}
}

type follower struct {
	watcher listwatch.Watcher[stack.Object]
	store   stack.Store
	backoff stack.Backoff
	silence time.Duration
}

// errStore is wrapped by the errors of the store. Another watch would not correct them.
var errStore = errors.New("the store has failed")

func (f *follower) Follow(ctx context.Context, version string) (last string, err error) {
	for {
		failure := f.watch(ctx, &version)
		var pause <-chan time.Time
		switch {
		case ctx.Err() != nil:
			return version, ctx.Err()
		case failure == nil:
			continue
		case isFinal(failure):
			return version, failure
		default:
			pause = time.After(f.backoff.Next())
		}
		select {
		case <-pause:
		case <-ctx.Done():
			return version, ctx.Err()
		}
	}
}

// watch opens one watch and reads it to its end. It advances the version with each event.
// It returns nil if the end is no failure.
func (f *follower) watch(ctx context.Context, version *string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start, received := time.Now(), false
	// The server can be silent before its response, too.
	opening := time.AfterFunc(f.silence, cancel)
	w, err := f.watcher.Watch(ctx, metav1.ListOptions{ResourceVersion: *version})
	silent := !opening.Stop()
	if err == nil {
		defer w.Stop()
	}
	for err == nil && !silent {
		var event stack.Event
		waiting, stopWaiting := context.WithTimeout(ctx, f.silence)
		event, err = w.Next(waiting)
		silent = err != nil && waiting.Err() != nil
		stopWaiting()
		if err == nil {
			received = true
			f.backoff.Reset()
			err = f.deliver(event, version)
		}
	}
	// Servers end each watch after some minutes. An end at once, without any event, is a
	// failure: otherwise the server would receive requests in an endless loop.
	ended := err == io.EOF && (received || time.Since(start) >= time.Second)
	if silent || ended {
		return nil
	}
	return err
}

// deliver passes an event to the store, and then advances the version.
func (f *follower) deliver(event stack.Event, version *string) (err error) {
	switch event.Type {
	case watch.Added:
		err = f.store.Add(event.Object)
	case watch.Modified:
		err = f.store.Update(event.Object)
	case watch.Deleted:
		err = f.store.Delete(event.Object)
	case watch.Bookmark:
		f.store.Bookmark(event.ResourceVersion)
	}
	if err != nil {
		return errors.Join(errStore, err)
	}
	*version = event.ResourceVersion
	return nil
}

// isFinal reports whether another watch from the same version would fail as well: the
// server has rejected this one (4xx), or the store has failed. Only 429 means "later".
func isFinal(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return errors.Is(err, errStore) // else no server has answered
	}
	code := status.Status().Code
	return code >= 400 && code < 500 && code != http.StatusTooManyRequests
}
