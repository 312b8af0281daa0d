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

func contextList[T any](t *try[T]) {
	t.make(created("a"), created("b"))
	ctx, cancel := context.WithCancel(t.Context)
	cancel()
	t.Doing("List, whose context has ended")
	list, err := t.List(ctx, metav1.ListOptions{})
	if err == nil {
		t.readEnded(list, func() {})
	} else {
		t.mustBeOver(err)
	}

	ctx, cancel = context.WithCancel(t.Context)
	defer cancel()
	t.Doing("List")
	list, err = t.List(ctx, metav1.ListOptions{})
	t.Must(err)
	t.readEnded(list, cancel)
}

// readEnded reads a list, whose context ends with the first item if it has not.
// A list that is at hand may come whole.
func (t *try[T]) readEnded(list *listwatch.List[T], end func()) {
	if list == nil {
		t.Failf("List returned nil and no error")
	}
	t.Doing("read a list whose context has ended")
	for _, err := range list.Items() {
		end()
		if err != nil {
			t.mustBeOver(err)
			return
		}
	}
}

func (t *try[T]) mustBeOver(err error) {
	if !errors.Is(err, context.Canceled) {
		t.Must(fmt.Errorf("the error is not the context's: %w", err))
	}
}

func contextWatch[T any](t *try[T]) {
	opts := metav1.ListOptions{ResourceVersion: t.expectList(metav1.ListOptions{})}
	ctx, cancel := context.WithCancel(t.Context)
	defer cancel()
	w := t.openWatch(ctx, opts)
	defer w.Stop()
	t.endWaiting(w, context.Background(), "end the context that a watch was opened with", cancel)

	t.Doing("Watch, whose context has ended")
	late, err := t.Watch(ctx, opts)
	if err != nil {
		t.mustBeOver(err)
		return
	}
	if late == nil {
		t.Failf("Watch returned nil and no error")
	}
	defer late.Stop()
	t.over(late)
}

func contextNext[T any](t *try[T]) {
	opts := metav1.ListOptions{ResourceVersion: t.expectList(metav1.ListOptions{})}
	w := t.openWatch(t.Context, opts)
	defer w.Stop()
	ctx, cancel := context.WithCancel(t.Context)
	defer cancel()
	t.mustBeOver(t.endWaiting(w, ctx, "end the context of a Next that waits", cancel))
}

func stop[T any](t *try[T]) {
	opts := metav1.ListOptions{ResourceVersion: t.expectList(metav1.ListOptions{})}
	w := t.openWatch(t.Context, opts)
	t.endWaiting(w, t.Context, "Stop while Next waits", w.Stop)
	t.Doing("Stop again")
	w.Stop()

	idle := t.openWatch(t.Context, opts)
	t.Doing("Stop of a watch that nobody reads")
	idle.Stop()
	t.over(idle)
	t.Doing("Stop again")
	idle.Stop()
}

func (t *try[T]) openWatch(ctx context.Context, opts metav1.ListOptions) *listwatch.Watch[T] {
	t.Doing("Watch")
	w, err := t.Watch(ctx, opts)
	t.Must(err)
	if w == nil {
		t.Failf("Watch returned nil and no error")
	}
	return w
}

// moment is long enough for a goroutine to have begun to wait.
const moment = 20 * time.Millisecond

// endWaiting has a Next wait with ctx, ends that, and returns its error. The
// watch must be over then.
func (t *try[T]) endWaiting(w *listwatch.Watch[T], ctx context.Context, doing string, end func()) error {
	t.Doing("Next, where nothing happens")
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
		t.Failf("Next did not wait, though nothing has happened: its error is %v", err)
	case <-time.After(moment):
	}
	t.Doing("%s", doing)
	end()
	t.Doing("%s: Next still waits", doing)
	err := <-ended
	if err == nil {
		t.Failf("%s: Next returned an event", doing)
	}
	t.over(w)
	return err
}

// over checks that nothing comes out of a watch any more.
func (t *try[T]) over(w *listwatch.Watch[T]) {
	t.Doing("Next of a watch that is over")
	if event, err := w.Next(t.Context); err == nil {
		t.Failf("a watch that is over gives an event of type %s", event.Type)
	}
}
