package workqueue

import (
	"fmt"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkShutDownWakes(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	workers := []<-chan string{q.get(), q.get(), q.get()}
	q.AddRateLimited("shop/delayed")
	q.nothing(workers[0], "in a new queue")
	q.ShutDown()
	for _, worker := range workers {
		q.received(worker, "shutdown", "after ShutDown with three waiting workers and a delayed key")
	}
	q.ShutDown()
	q.takes("shutdown", "after a second ShutDown")
}

func checkShutDownLeft(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	for _, key := range []string{"shop/a", "shop/b", "shop/c"} {
		q.Add(key)
	}
	q.takes("shop/a", "after Add")
	q.Add("shop/a")
	q.ShutDown()
	q.takes("shop/b", "after ShutDown with two waiting keys")
	q.ShutDown()
	q.hasLen(1, "after a second ShutDown with a waiting key")
	q.Done("shop/a")
	q.hasLen(2, "after ShutDown, and Done of a key that was added before ShutDown while it was processed")
	q.takes("shop/c", "after ShutDown with a waiting key")
	q.takes("shop/a", "after ShutDown, and Done of a key that was added before ShutDown while it was processed")
	q.takes("shutdown", "after ShutDown and the last key")
	q.Done("shop/a")
	q.takes("shutdown", "after ShutDown, the last key and its Done")
}

func checkShutDownAdds(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	q.Add("shop/a")
	q.takes("shop/a", "after Add")
	q.AddRateLimited("shop/delayed")
	q.Add("shop/busy")
	q.takes("shop/busy", "after Add")
	q.AddRateLimited("shop/busy")
	q.ShutDown()
	q.Add("shop/b")
	q.hasLen(0, "after ShutDown and Add")
	q.Add("shop/a")
	q.Done("shop/a")
	q.hasLen(0, "after ShutDown, Add of a key that is processed, and Done")
	q.AddRateLimited("shop/c")
	time.Sleep(limit)
	q.hasLen(0, "after ShutDown, with a key that was delayed before and one that was delayed after")
	q.Done("shop/busy")
	q.hasLen(0, "after ShutDown, the end of the delay of a key that is processed, and Done")
	q.takes("shutdown", "after ShutDown and the end of all delays")
}

// checkWorkers has workers that need time, and keys that are added all the while. Each
// Add must be followed by a Get of its key.
func checkWorkers(t *judge.T, parts stack.Parts) {
	q := newQueue(t, parts, base, limit)
	w := newWorkload()
	for i := range 4 {
		t.Go(fmt.Sprintf("worker %d", i), func() {
			for {
				key, shutdown := q.Get()
				if shutdown {
					return
				}
				if !w.begin(key) {
					t.Errorf("Get hands out %s while another worker processes it", key)
				}
				time.Sleep(time.Duration(3+i) * time.Millisecond)
				w.end(key)
				q.Done(key)
			}
		})
	}
	for i := range 400 {
		key := fmt.Sprintf("shop/%d", i*i%11)
		w.added(key)
		if i%5 == 0 {
			q.AddRateLimited(key)
			q.Forget(key)
		} else {
			q.Add(key)
		}
		time.Sleep(time.Duration(i%4) * time.Millisecond)
	}
	time.Sleep(time.Hour)
	if key := w.lost(); key != "" {
		t.Errorf("with 4 workers and 400 additions, Get does not hand out %s after its last addition", key)
	}
}
