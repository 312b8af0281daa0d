package workqueue

import (
	"fmt"
	"testing/synctest"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkOrder(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	all := keys(300)
	for _, key := range all {
		q.Add(key)
	}
	q.Add(all[0])
	for i, key := range all {
		q.takes(key, fmt.Sprintf("after Add of 300 keys and %d calls of Get", i))
	}
}

func checkOnce(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	for range 3 {
		q.Add("shop/a")
	}
	q.hasLen(1, "after Add of a key three times")
	q.takes("shop/a", "after Add of a key three times")
	got := q.get()
	q.nothing(got, "after Add of a key three times and one Get")
	q.Done("shop/a")
	q.nothing(got, "after Add of a key three times, Get and Done")
	q.Add("shop/a")
	q.received(got, "shop/a", "after Add of a key whose processing has ended")
}

func checkWait(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	first, second := q.get(), q.get()
	q.nothing(first, "in a new queue")
	q.nothing(second, "in a new queue")
	q.Add("shop/a")
	q.Add("shop/b")
	got := map[string]bool{}
	for i, worker := range []<-chan string{first, second} {
		t.Unblocked(fmt.Sprintf("after Add of two keys, Get of the %s of two waiting workers", []string{"first", "second"}[i]), func() {
			got[<-worker] = true
		})
	}
	if !got["shop/a"] || !got["shop/b"] {
		t.Fatalf("after Add of shop/a and shop/b, two waiting calls of Get return %v", got)
	}
}

// checkTaken has a key that one Get takes when another Get is already woken for it.
// Which of the two is first depends on the scheduler, so it happens several times.
func checkTaken(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	for i := range 20 {
		key := fmt.Sprintf("shop/%d", i)
		waiting, adding := q.get(), make(chan string, 1)
		q.nothing(waiting, "while no key waits")
		t.Go("Add and Get", func() {
			q.Add(key)
			adding <- result(q.Get())
		})
		synctest.Wait()
		select {
		case got := <-waiting:
			waiting = adding
			q.takenOnce(got, key, waiting)
		case got := <-adding:
			q.takenOnce(got, key, waiting)
		default:
			t.Fatalf("after Add, and with two calls of Get, both wait")
		}
		q.Done(key)
		q.Add(key)
		q.received(waiting, key, "after Add of a key that another Get took before")
		q.Done(key)
	}
}

// takenOnce fails unless one of two calls of Get has returned the only key, and the
// other one waits.
func (q *queue) takenOnce(got, want string, other <-chan string) {
	q.t.Helper()
	const when = "with one key and two calls of Get, the one that finds nothing waits again"
	if got != want {
		q.t.Fatalf("%s: it returns %s", when, got)
	}
	select {
	case got := <-other:
		q.t.Fatalf("%s: it returns %s", when, got)
	default:
	}
}

func checkProcessed(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	q.Add("shop/a")
	q.takes("shop/a", "after Add")
	other := q.get()
	q.nothing(other, "while a worker processes shop/a")
	q.Add("shop/a")
	q.nothing(other, "after Add of shop/a while a worker processes it")
	q.Add("shop/b")
	q.received(other, "shop/b", "after Add of shop/b while shop/a is processed and has been added again")
	other = q.get()
	q.Done("shop/b")
	q.nothing(other, "after Done of shop/b while shop/a is processed and has been added again")
}

func checkAgain(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	q.Add("shop/a")
	q.takes("shop/a", "after Add")
	q.Add("shop/a")
	q.Add("shop/a")
	q.Add("shop/b")
	q.Done("shop/a")
	q.takes("shop/b", "after Add of shop/a while it is processed, Add of shop/b, and Done of shop/a")
	q.takes("shop/a", "after Add of shop/a while it is processed, and Done (otherwise this change would be lost)")
	q.Done("shop/b")
	got := q.get()
	q.Done("shop/a")
	q.nothing(got, "after two calls of Add while the key is processed, Done, Get and Done")

	q.Add("shop/c")
	q.received(got, "shop/c", "after Add")
	got = q.get()
	q.Add("shop/c")
	q.nothing(got, "after Add of a key that is processed")
	q.Done("shop/c")
	q.received(got, "shop/c", "after Done of a key that was added while it was processed")
}

func checkDone(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	q.Done("shop/a")
	q.hasLen(0, "after Done of a key that was never added")
	q.Add("shop/a")
	q.Done("shop/a")
	q.hasLen(1, "after Done of a key that waits")
	q.takes("shop/a", "after Done of a key that waits")
	got := q.get()
	q.nothing(got, "after Done of a key that waits, and Get")
	q.Done("shop/a")
	q.Done("shop/a")
	q.nothing(got, "after a second Done")
}

func checkLen(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	q.hasLen(0, "in a new queue")
	q.Add("shop/a")
	q.Add("shop/b")
	q.hasLen(2, "after Add of two keys")
	q.takes("shop/a", "after Add of two keys")
	q.hasLen(1, "with one key that is processed and one that waits")
	q.Add("shop/a")
	q.hasLen(1, "after Add of the key that is processed, which does not wait before Done")
	q.AddRateLimited("shop/c")
	q.hasLen(1, "with a delayed key, which does not wait")
	q.Done("shop/a")
	q.hasLen(2, "after Done of a key that was added while it was processed")
}
