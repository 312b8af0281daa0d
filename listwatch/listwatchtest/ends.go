package listwatchtest

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
)

func contextList[T any](t *caseRun[T]) {
	t.apply(created("a"), created("b"))
	ctx, cancel := context.WithCancel(t.Context)
	cancel()
	t.Step("List with an ended context")
	list, err := t.List(ctx, metav1.ListOptions{})
	if err == nil {
		t.readEnded(list, func() {})
	} else {
		t.expectContextError(err)
	}

	ctx, cancel = context.WithCancel(t.Context)
	defer cancel()
	t.Step("List")
	list, err = t.List(ctx, metav1.ListOptions{})
	t.Must(err)
	t.readEnded(list, cancel)
}

// readEnded reads a list whose context ends at the latest with the first item. A
// list that is in memory may be complete.
func (t *caseRun[T]) readEnded(list *listwatch.List[T], end func()) {
	if list == nil {
		t.Failf("List returned nil and no error")
	}
	t.Step("read a list with an ended context")
	for _, err := range list.Items() {
		end()
		if err != nil {
			t.expectContextError(err)
			return
		}
	}
}

func (t *caseRun[T]) expectContextError(err error) {
	if !errors.Is(err, context.Canceled) {
		t.Must(fmt.Errorf("the error is not that of the context: %w", err))
	}
}

func contextWatch[T any](t *caseRun[T]) {
	opts := metav1.ListOptions{ResourceVersion: t.expectList(metav1.ListOptions{})}
	ctx, cancel := context.WithCancel(t.Context)
	defer cancel()
	w := t.openWatch(ctx, opts)
	defer w.Stop()
	t.endWaiting(w, context.Background(), "end the context of a watch", cancel)

	t.Step("Watch with an ended context")
	late, err := t.Watch(ctx, opts)
	if err != nil {
		t.expectContextError(err)
		return
	}
	if late == nil {
		t.Failf("Watch returned nil and no error")
	}
	defer late.Stop()
	t.expectEnded(late)
}

func contextNext[T any](t *caseRun[T]) {
	opts := metav1.ListOptions{ResourceVersion: t.expectList(metav1.ListOptions{})}
	w := t.openWatch(t.Context, opts)
	defer w.Stop()
	ctx, cancel := context.WithCancel(t.Context)
	defer cancel()
	t.expectContextError(t.endWaiting(w, ctx, "end the context of a blocked Next", cancel))
}

func stop[T any](t *caseRun[T]) {
	opts := metav1.ListOptions{ResourceVersion: t.expectList(metav1.ListOptions{})}
	w := t.openWatch(t.Context, opts)
	t.endWaiting(w, t.Context, "Stop while Next waits", w.Stop)
	t.Step("Stop again")
	w.Stop()

	idle := t.openWatch(t.Context, opts)
	t.Step("Stop of an unread watch")
	idle.Stop()
	t.expectEnded(idle)
	t.Step("Stop again")
	idle.Stop()
}

func (t *caseRun[T]) openWatch(ctx context.Context, opts metav1.ListOptions) *listwatch.Watch[T] {
	t.Step("Watch")
	w, err := t.Watch(ctx, opts)
	t.Must(err)
	if w == nil {
		t.Failf("Watch returned nil and no error")
	}
	return w
}

// shortTime is long enough for a goroutine to block.
const shortTime = 20 * time.Millisecond

// endWaiting calls Next with ctx, calls end, and returns the error of Next. The
// watch must have ended then.
func (t *caseRun[T]) endWaiting(w *listwatch.Watch[T], ctx context.Context, step string, end func()) error {
	t.Step("Next without changes")
	ended := make(chan error, 1)
	go func() {
		for {
			event, err := w.Next(ctx)
			if err == nil && event.Type == watch.Bookmark {
				continue
			}
			ended <- err
			return
		}
	}()
	select {
	case err := <-ended:
		t.Failf("Next did not block, although nothing has changed: its error is %v", err)
	case <-time.After(shortTime):
	}
	t.Step("%s", step)
	end()
	t.Step("%s: Next still blocks", step)
	err := <-ended
	if err == nil {
		t.Failf("%s: Next returned an event", step)
	}
	t.expectEnded(w)
	return err
}

// expectEnded checks that a watch returns no more events.
func (t *caseRun[T]) expectEnded(w *listwatch.Watch[T]) {
	t.Step("Next of an ended watch")
	if event, err := w.Next(t.Context); err == nil {
		t.Failf("an ended watch delivers an event of type %s", event.Type)
	}
}
