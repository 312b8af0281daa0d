package listwatchtest

import (
	"context"
	"runtime"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rounds is how often all requests are repeated. A source may keep some
// goroutines for its connections, but not one for each request.
const rounds = 20

func goroutines[T any](t *caseRun[T]) {
	t.apply(created("a"))
	t.round()
	before := runtime.NumGoroutine()
	for range rounds {
		t.round()
	}
	t.Step("wait for goroutines to end")
	var left int
	for waited := time.Duration(0); waited < t.Trial.Timeout/2; waited += shortTime {
		if left = runtime.NumGoroutine() - before; left < rounds/2 {
			return
		}
		time.Sleep(shortTime)
	}
	t.Failf("%d rounds of lists and watches that were read, closed and stopped leaked %d goroutines", rounds, left)
}

// round starts and ends each kind of request.
func (t *caseRun[T]) round() {
	version := t.expectList(metav1.ListOptions{}, "a")
	t.Step("List")
	unread, err := t.List(t.Context, metav1.ListOptions{})
	t.Must(err)
	t.Step("Close an unread list")
	unread.Close()

	read := t.watch(version)
	t.apply(updated("a"))
	read.expect(updated("a"))
	read.stop()

	ctx, cancel := context.WithCancel(t.Context)
	ended := t.openWatch(ctx, metav1.ListOptions{ResourceVersion: version})
	cancel()
	ended.Stop()

	unused := t.watch(version)
	unused.stop()
}
