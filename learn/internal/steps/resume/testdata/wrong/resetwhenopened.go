// want: an event resets the back-off: only an event resets the back-off

package resume

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A watch that is open resets the back-off, although it has delivered nothing.
func (f *follower) watch(ctx context.Context, version *string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start, received := time.Now(), false
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
		long := received || time.Since(start) >= time.Second
		if long {
			f.backoff.Reset()
		}
		switch {
		case err != nil && silent, err == io.EOF && long:
			return nil
		case err != nil:
			return err
		}
		received = true
		if err := f.deliver(event, version); err != nil {
			return err
		}
	}
}
