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

func goroutines[T any](t *try[T]) {
	t.make(created("a"))
	t.round()
	before := runtime.NumGoroutine()
	for range rounds {
		t.round()
	}
	t.Doing("wait for goroutines to end")
	var left int
	for waited := time.Duration(0); waited < t.Trial.Patience/2; waited += moment {
		if left = runtime.NumGoroutine() - before; left < rounds/2 {
			return
		}
		time.Sleep(moment)
	}
	t.Failf("%d rounds of lists and watches that were read, closed and stopped have left %d goroutines behind", rounds, left)
}

// round begins and ends what can be begun.
func (t *try[T]) round() {
	version := t.expectList(metav1.ListOptions{}, "a")
	t.Doing("List")
	unread, err := t.List(t.Context, metav1.ListOptions{})
	t.Must(err)
	t.Doing("Close a list that nobody has read")
	unread.Close()

	read := t.watch(version)
	t.make(updated("a"))
	read.expect(updated("a"))
	read.stop()

	ctx, cancel := context.WithCancel(t.Context)
	ended := t.openWatch(ctx, metav1.ListOptions{ResourceVersion: version})
	cancel()
	ended.Stop()

	unused := t.watch(version)
	unused.stop()
}
