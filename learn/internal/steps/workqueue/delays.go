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
	t.Unblocked("AddRateLimited", func() { q.AddRateLimited("shop/a") })
	if after := time.Since(q.start); after > 0 {
		t.Fatalf("AddRateLimited returns after %v; want that it returns at once: a worker that waits processes no other key", after)
	}
	q.nothing(got, "right after AddRateLimited")
	time.Sleep(base)
	q.received(got, "shop/a", "1s after AddRateLimited with base 1s")
	q.Done("shop/a")
	for i, want := range []time.Duration{2 * base, 4 * base, 8 * base, limit, limit} {
		q.rateLimited("shop/a", want, fmt.Sprintf("call %d of AddRateLimited", i+2))
	}
	q.rateLimited("shop/b", base, "the first AddRateLimited of another key")
	// A doubling without care overflows within these calls.
	for i := range 94 {
		q.rateLimited("shop/a", limit, fmt.Sprintf("call %d of AddRateLimited", i+7))
	}
	if n := q.NumRequeues("shop/a"); n != 100 {
		t.Fatalf("after 100 calls of AddRateLimited, NumRequeues is %d", n)
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
}
