// want: a watch is stopped before the next one: call its Stop

package resume

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// A silent watch is left open: a goroutine reads it, and another watch is opened.
func (f *follower) watch(ctx context.Context, version *string) error {
	start, received := time.Now(), false
	opening, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(f.silence, cancel)
	w, err := f.watcher.Watch(opening, metav1.ListOptions{ResourceVersion: *version})
	if !timer.Stop() {
		return nil
	}
	if err != nil {
		return err
	}
	type result struct {
		event stack.Event
		err   error
	}
	results := make(chan result)
	go func() {
		for ctx.Err() == nil {
			event, err := w.Next(ctx)
			select {
			case results <- result{event, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(f.silence):
			return nil
		case r := <-results:
			if r.err == io.EOF && (received || time.Since(start) >= time.Second) {
				return nil
			}
			if r.err != nil {
				return r.err
			}
			received = true
			f.backoff.Reset()
			if err := f.deliver(r.event, version); err != nil {
				return err
			}
		}
	}
}
