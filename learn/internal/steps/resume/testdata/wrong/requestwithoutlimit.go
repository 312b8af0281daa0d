// want: silence before the response ends a request: no other watch is opened

package resume

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The silence counts from the response on.
func (f *follower) watch(ctx context.Context, version *string) error {
	start, received := time.Now(), false
	w, err := f.watcher.Watch(ctx, metav1.ListOptions{ResourceVersion: *version})
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
		case err != nil && silent, err == io.EOF && (received || time.Since(start) >= time.Second):
			return nil
		case err != nil:
			return err
		}
		received = true
		f.backoff.Reset()
		if err := f.deliver(event, version); err != nil {
			return err
		}
	}
}
