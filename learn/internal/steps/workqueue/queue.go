package workqueue

import (
	"fmt"
	"testing/synctest"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The times of the queues in the checks.
const (
	base  = time.Second
	limit = 10 * time.Second
)

// queue is the queue of a solution in a check.
type queue struct {
	t *judge.T
	stack.WorkQueue
	start time.Time
}

// newQueue creates the queue of a check. It is shut down at the end, so that no worker
// of the check waits forever.
func newQueue(t *judge.T, parts stack.Parts, base, limit time.Duration) *queue {
	q := parts.NewWorkQueue(base, limit)
	if q == nil {
		t.Fatalf("NewWorkQueue returns nil")
	}
	t.Cleanup(q.ShutDown)
	return &queue{t, q, time.Now()}
}

// takes fails unless Get returns the key now.
func (q *queue) takes(want, when string) {
	q.t.Helper()
	got := q.get()
	synctest.Wait()
	select {
	case result := <-got:
		if result != want {
			q.t.Fatalf("%s, Get returns %s; want %s", when, result, want)
		}
	default:
		q.t.Fatalf("%s, Get waits; want %s", when, want)
	}
}

// get calls Get in a goroutine. The channel receives the key, or "shutdown".
func (q *queue) get() <-chan string {
	got := make(chan string, 1)
	q.t.Go("Get", func() {
		got <- result(q.Get())
	})
	return got
}

// result is a text for the results of Get: the key, or "shutdown".
func result(key string, shutdown bool) string {
	switch {
	case !shutdown:
		return key
	case key != "":
		return fmt.Sprintf("%q, true", key)
	}
	return "shutdown"
}

// nothing fails if a Get of the channel has returned.
func (q *queue) nothing(got <-chan string, when string) {
	q.t.Helper()
	synctest.Wait()
	select {
	case key := <-got:
		q.t.Fatalf("%s, Get returns %s; want that it waits", when, key)
	default:
	}
}

// received fails unless a Get of the channel has returned the key.
func (q *queue) received(got <-chan string, want, when string) {
	q.t.Helper()
	synctest.Wait()
	select {
	case key := <-got:
		if key != want {
			q.t.Fatalf("%s, a waiting Get returns %s; want %s", when, key, want)
		}
	default:
		q.t.Fatalf("%s, a Get that waits is not woken; want %s", when, want)
	}
}

// hasLen fails unless Len returns the number.
func (q *queue) hasLen(want int, when string) {
	q.t.Helper()
	if n := q.Len(); n != want {
		q.t.Fatalf("%s, Len is %d; want %d", when, n, want)
	}
}

// taken returns the time at which Get returns the key, and ends its processing.
func (q *queue) taken(want string) time.Duration {
	q.t.Helper()
	q.t.Unblocked("Get after AddRateLimited", func() {
		if key, shutdown := q.Get(); key != want || shutdown {
			q.t.Errorf("Get returns %q, %t; want %q, false", key, shutdown, want)
		}
	})
	q.Done(want)
	return time.Since(q.start)
}

// rateLimited calls AddRateLimited, and fails unless the key comes after the time.
func (q *queue) rateLimited(key string, want time.Duration, call string) {
	q.t.Helper()
	before := time.Since(q.start)
	q.AddRateLimited(key)
	q.returnsAtOnce(before)
	if after := q.taken(key) - before; after != want {
		q.t.Fatalf("%s with base %v and limit %v: the key comes after %v; want %v", call, base, limit, after, want)
	}
}

// returnsAtOnce fails if AddRateLimited, called at the time before, has taken time.
func (q *queue) returnsAtOnce(before time.Duration) {
	q.t.Helper()
	if after := time.Since(q.start) - before; after > 0 {
		q.t.Fatalf("AddRateLimited returns after %v; want that it returns at once: a worker that waits processes no other key", after)
	}
}

// keys returns n keys.
func keys(n int) []string {
	all := make([]string, n)
	for i := range all {
		// The order of the names is not the order of the numbers.
		all[i] = fmt.Sprintf("shop/%c%d", 'z'-rune(i%7), i)
	}
	return all
}
