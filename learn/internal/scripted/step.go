package scripted

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Object returns a ConfigMap of the namespace shop.
func Object(name, version string) stack.Object {
	return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, ResourceVersion: version}}
}

// Step is a step of a watch: an event, a pause or the end.
type Step struct {
	event stack.Event
	pause time.Duration
	end   error
}

// Added is the event of a new object.
func Added(name, version string) Step { return change(watch.Added, name, version) }

// Modified is the event of a changed object.
func Modified(name, version string) Step { return change(watch.Modified, name, version) }

// Deleted is the event of a deleted object.
func Deleted(name, version string) Step { return change(watch.Deleted, name, version) }

func change(kind watch.EventType, name, version string) Step {
	return Step{event: stack.Event{Type: kind, Object: Object(name, version), ResourceVersion: version}}
}

// Bookmark is a bookmark that does not end the initial events.
func Bookmark(version string) Step {
	return Step{event: stack.Event{Type: watch.Bookmark, ResourceVersion: version}}
}

// Mark is the bookmark that ends the initial events.
func Mark(version string) Step {
	step := Bookmark(version)
	step.event.InitialEventsEnd = true
	return step
}

// Pause is a time without an event.
func Pause(duration time.Duration) Step { return Step{pause: duration} }

// End is the end of the watch: Next returns err. Without it, the watch is silent after
// its last step.
func End(err error) Step { return Step{end: err} }

// openWatch is a watch that a solution reads.
type openWatch struct {
	from     string
	ctx      context.Context
	steps    []Step
	final    error
	stopped  chan struct{}
	ended    atomic.Bool
	released atomic.Bool // Stop has been called
}

func newWatch(ctx context.Context, from string, steps []Step) (*openWatch, *listwatch.Watch[stack.Object]) {
	w := &openWatch{from: from, ctx: ctx, steps: steps, stopped: make(chan struct{})}
	stop := func() {
		w.released.Store(true)
		w.stop()
	}
	return w, rest.NewWatch(w.next, stop)
}

// isHeld reports whether the watch has neither been stopped nor ended by its context. An
// error of Next is no substitute for Stop.
func (w *openWatch) isHeld() bool { return !w.released.Load() && w.ctx.Err() == nil }

// isOpen reports whether the watch still occupies a connection.
func (w *openWatch) isOpen() bool { return !w.ended.Load() && w.ctx.Err() == nil }

func (w *openWatch) stop() {
	if !w.ended.Swap(true) {
		close(w.stopped)
	}
}

func (w *openWatch) next(ctx context.Context) (stack.Event, error) {
	event, err := w.step(ctx)
	if err != nil {
		w.final = err
		w.stop()
	}
	return event, err
}

func (w *openWatch) step(ctx context.Context) (stack.Event, error) {
	if w.final != nil {
		return stack.Event{}, w.final
	}
	for len(w.steps) > 0 {
		step := w.steps[0]
		switch {
		case step.end != nil:
			return stack.Event{}, step.end
		case step.pause > 0:
			if err := w.wait(ctx, time.After(step.pause)); err != nil {
				return stack.Event{}, err
			}
			w.steps = w.steps[1:]
		case ctx.Err() != nil || !w.isOpen():
			return stack.Event{}, w.wait(ctx, nil)
		default:
			w.steps = w.steps[1:]
			return step.event, nil
		}
	}
	return stack.Event{}, w.wait(ctx, nil)
}

// wait waits until the time is over, or the watch ends.
func (w *openWatch) wait(ctx context.Context, over <-chan time.Time) error {
	select {
	case <-over:
		return nil
	case <-w.stopped:
		return io.EOF
	case <-ctx.Done():
		return fmt.Errorf("watch: %w", ctx.Err())
	case <-w.ctx.Done():
		return fmt.Errorf("watch: %w", w.ctx.Err())
	}
}
