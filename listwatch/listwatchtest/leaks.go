package listwatchtest

import (
	"context"
	"runtime"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rounds is how often everything is begun and ended. A source may keep some
// goroutines, for its connections, but not one for each.
const rounds = 20

func goroutines[T any](t *trial[T]) {
	t.make(created("a"))
	t.round()
	before := runtime.NumGoroutine()
	for range rounds {
		t.round()
	}
	t.does("wait for goroutines to end")
	var left int
	for waited := time.Duration(0); waited < t.Patience/2; waited += moment {
		if left = runtime.NumGoroutine() - before; left < rounds/2 {
			return
		}
		time.Sleep(moment)
	}
	t.failf("%d rounds of lists and watches that were read, closed and stopped have left %d goroutines behind", rounds, left)
}

// round begins and ends what can be begun.
func (t *trial[T]) round() {
	version := t.expectList(metav1.ListOptions{}, "a")
	t.does("List")
	unread, err := t.List(t.ctx, metav1.ListOptions{})
	t.must(err)
	t.does("Close a list that nobody has read")
	unread.Close()

	read := t.watch(version)
	t.make(updated("a"))
	read.expect(updated("a"))
	read.stop()

	ctx, cancel := context.WithCancel(t.ctx)
	ended := t.openWatch(ctx, metav1.ListOptions{ResourceVersion: version})
	cancel()
	ended.Stop()

	unused := t.watch(version)
	unused.stop()
}
