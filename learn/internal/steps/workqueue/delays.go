package workqueue

import (
	"fmt"
	"testing/synctest"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkTimes(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	got := q.get()
	// A ticker of the queue would be exact without this pause.
	time.Sleep(3 * time.Millisecond)
	before := time.Since(q.start)
	t.Unblocked("AddRateLimited", func() { q.AddRateLimited("shop/a") })
	q.returnsAtOnce(before)
	q.nothing(got, "right after AddRateLimited")
	time.Sleep(base)
	q.received(got, "shop/a", "1s after AddRateLimited with base 1s")
	q.Done("shop/a")
	for i, want := range []time.Duration{2 * base, 4 * base, 8 * base, limit, limit} {
		q.rateLimited("shop/a", want, fmt.Sprintf("call %d of AddRateLimited", i+2))
	}
	q.rateLimited("shop/b", base, "the first AddRateLimited of another key")
	q.delayedTogether("shop/a", "shop/b", "shop/c")
	// A doubling without care overflows within these calls.
	for i := range 93 {
		q.rateLimited("shop/a", limit, fmt.Sprintf("call %d of AddRateLimited", i+8))
	}
	if n := q.NumRequeues("shop/a"); n != 100 {
		t.Fatalf("after 100 calls of AddRateLimited, NumRequeues is %d", n)
	}
}

// delayedTogether delays three keys at the same time: slow by the limit, middle by
// 2*base, and fast by base.
func (q *queue) delayedTogether(slow, middle, fast string) {
	q.t.Helper()
	before := time.Since(q.start)
	for _, key := range []string{slow, middle, fast} {
		q.AddRateLimited(key)
	}
	for _, want := range []struct {
		key   string
		after time.Duration
	}{{fast, base}, {middle, 2 * base}, {slow, limit}} {
		if after := q.taken(want.key) - before; after != want.after {
			q.t.Fatalf("with keys that are delayed by 10s, 2s and 1s, %s comes after %v; want %v", want.key, after, want.after)
		}
	}
}

func checkForget(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	for _, key := range []string{"shop/a", "shop/b"} {
		q.rateLimited(key, base, "the first AddRateLimited")
		q.rateLimited(key, 2*base, "the second AddRateLimited")
	}
	q.hasRequeues("shop/a", 2, "after two calls of AddRateLimited")
	q.Forget("shop/a")
	q.Forget("shop/never-added")
	q.hasRequeues("shop/a", 0, "after Forget")
	q.hasRequeues("shop/b", 2, "after Forget of another key")
	q.rateLimited("shop/a", base, "AddRateLimited after Forget")
	q.rateLimited("shop/b", 4*base, "the third AddRateLimited, after Forget of another key")
	q.Add("shop/a")
	q.taken("shop/a")
	q.hasRequeues("shop/a", 1, "after AddRateLimited, and Add, Get and Done, which do not count,")
}

// hasRequeues fails unless NumRequeues returns the number.
func (q *queue) hasRequeues(key string, want int, when string) {
	q.t.Helper()
	if n := q.NumRequeues(key); n != want {
		q.t.Fatalf("%s NumRequeues is %d; want %d", when, n, want)
	}
}

func checkTwoDelays(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	got := q.get()
	q.AddRateLimited("shop/a")
	q.AddRateLimited("shop/a")
	q.hasRequeues("shop/a", 2, "after AddRateLimited, and AddRateLimited of the delayed key, which counts,")
	time.Sleep(base)
	q.received(got, "shop/a", "after AddRateLimited twice, with times of 1s and 2s, and 1s")
	q.Done("shop/a")
	got = q.get()
	time.Sleep(limit)
	q.nothing(got, "after AddRateLimited twice, with times of 1s and 2s, after the key has come at 1s")

	q.AddRateLimited("shop/a") // the third time: 4s
	q.Forget("shop/a")
	q.AddRateLimited("shop/a")
	time.Sleep(base)
	q.received(got, "shop/a", "with delays of 4s and, after Forget, of 1s: 1s later")
	q.Done("shop/a")
	got = q.get()
	time.Sleep(limit)
	q.nothing(got, "with delays of 4s and of 1s, after the key has come at 1s")
}

func checkAddDelayed(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	q.AddRateLimited("shop/a")
	q.Forget("shop/a")
	q.Add("shop/a")
	q.takes("shop/a", "after Add of a delayed key")
	q.Done("shop/a")
	got := q.get()
	q.nothing(got, "before the delay has ended, after Add, Get and Done")
	time.Sleep(base)
	q.received(got, "shop/a", "after a delay during which Forget and Add were called")
	q.Done("shop/a")

	q.AddRateLimited("shop/a")
	q.Add("shop/a")
	time.Sleep(base)
	synctest.Wait()
	q.hasLen(1, "after the delay of a key that waits")
	q.takes("shop/a", "after the delay of a key that waits")
	q.Done("shop/a")

	q.Add("shop/b")
	q.AddRateLimited("shop/b")
	q.takes("shop/b", "after Add and AddRateLimited")
	q.Done("shop/b")
	q.Add("shop/c")
	time.Sleep(base)
	synctest.Wait()
	q.takes("shop/c", "after Add of shop/c, and then the end of the delay of shop/b")
	q.takes("shop/b", "after AddRateLimited of a key that waits, its Get and Done, and the delay")
}

func checkDelayProcessed(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	q.Add("shop/a")
	q.takes("shop/a", "after Add")
	q.AddRateLimited("shop/a")
	got := q.get()
	time.Sleep(2 * base)
	q.nothing(got, "after a delay that has ended while the key is processed")
	q.hasLen(0, "after a delay that has ended while the key is processed")
	q.Done("shop/a")
	q.received(got, "shop/a", "after Done of a key whose delay ended while it was processed")

	// A worker calls AddRateLimited before Done, as most do.
	got = q.get()
	q.AddRateLimited("shop/a")
	q.Done("shop/a")
	q.nothing(got, "after AddRateLimited of a key that is processed, and Done, before the delay has ended")
	time.Sleep(2 * base)
	q.received(got, "shop/a", "2s after the second AddRateLimited with base 1s")

	q.Forget("shop/a")
	q.AddRateLimited("shop/a")
	q.Add("shop/a")
	time.Sleep(2 * base)
	q.Done("shop/a")
	got = q.get()
	q.received(got, "shop/a", "after Add and the end of a delay, both while the key is processed, and Done")
	got = q.get()
	q.Done("shop/a")
	q.nothing(got, "after Add and the end of a delay, both while the key is processed, Done, Get and Done")
}
