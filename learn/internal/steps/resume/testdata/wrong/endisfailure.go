// want: a watch that ends is opened again at the last version: needs no back-off

package resume

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The end of a watch waits like a failure.
func (f *follower) watch(ctx context.Context, version *string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opening := time.AfterFunc(f.silence, cancel)
	w, err := f.watcher.Watch(ctx, metav1.ListOptions{ResourceVersion: *version})
	if !opening.Stop() {
		return nil
	}
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		waiting, stopWaiting := context.WithTimeout(ctx, f.silence)
		event, err := w.Next(waiting)
		silent := waiting.Err() != nil
		stopWaiting()
		switch {
		case err != nil && silent:
			return nil
		case err != nil:
			return err
		}
		f.backoff.Reset()
		if err := f.deliver(event, version); err != nil {
			return err
		}
	}
}
