// want: a watch is stopped before the next one: has not been stopped when the next watch is requested

package resume

import (
	"context"
	"errors"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
)

// All watches are stopped when Follow returns.
func (f *follower) Follow(ctx context.Context, version string) (last string, err error) {
	for {
		w, err := f.open(ctx, version)
		start, received := time.Now(), false
		if err == nil {
			defer w.Stop()
		}
		for err == nil {
			var event stack.Event
			waiting, cancel := context.WithTimeout(ctx, f.silence)
			event, err = w.Next(waiting)
			silent := waiting.Err() != nil
			cancel()
			if err == nil {
				received = true
				f.backoff.Reset()
				err = f.deliver(event, &version)
			} else if silent {
				err = errSilent
			}
		}
		switch {
		case ctx.Err() != nil:
			return version, ctx.Err()
		case isFinal(err):
			return version, err
		case err == errSilent, err == io.EOF && (received || time.Since(start) >= time.Second):
			continue
		}
		select {
		case <-time.After(f.backoff.Next()):
		case <-ctx.Done():
			return version, ctx.Err()
		}
	}
}

var errSilent = errors.New("silent")

func (f *follower) open(ctx context.Context, version string) (*listwatch.Watch[stack.Object], error) {
	opening, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(f.silence, cancel)
	w, err := f.watcher.Watch(opening, metav1.ListOptions{ResourceVersion: version})
	if !timer.Stop() {
		err = errSilent
	}
	return w, err
}
