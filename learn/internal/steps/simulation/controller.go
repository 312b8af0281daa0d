package simulation

import (
	"context"
	"sync"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// controller has the work queue and the reconciler of a solution. As a handler it adds
// the site of each object to the queue.
type controller struct {
	s          *simulation
	queue      stack.WorkQueue
	reconciler stack.Reconciler
	workers    sync.WaitGroup

	mu   sync.Mutex
	busy map[string]bool // the keys that a worker has
}

var _ stack.Handler = (*controller)(nil)

func newController(s *simulation) *controller {
	c := &controller{s: s, busy: map[string]bool{}}
	c.queue = s.parts.NewWorkQueue(100*time.Millisecond, time.Minute)
	c.reconciler = s.parts.NewReconciler(s.program.Indexer, s.program.Client)
	return c
}

// OnAdd implements stack.Handler.
func (c *controller) OnAdd(object stack.Object, _ bool) { c.enqueue(object) }

// OnUpdate implements stack.Handler.
func (c *controller) OnUpdate(old, object stack.Object) {
	c.enqueue(old)
	c.enqueue(object)
}

// OnDelete implements stack.Handler.
func (c *controller) OnDelete(object stack.Object, _ bool) { c.enqueue(object) }

// enqueue adds the key of a site: that of the object, or that of its page.
func (c *controller) enqueue(object stack.Object) {
	if site := object.Labels[stack.PageLabel]; site != "" {
		c.queue.Add(object.Namespace + "/" + site)
		return
	}
	c.queue.Add(stack.Key(object))
}

// run starts the workers. They wait for the first list: before it, a site that is not in
// the indexer may exist.
func (c *controller) run(ctx context.Context) {
	for range 2 {
		c.workers.Add(1)
		c.s.t.Go("a worker", func() {
			defer c.workers.Done()
			for !c.s.program.Informer.HasSynced() && ctx.Err() == nil {
				time.Sleep(time.Second)
			}
			for c.work(ctx) {
			}
		})
	}
}

// work processes one key. It reports whether the queue goes on.
func (c *controller) work(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if !c.take(key) {
		c.s.t.Errorf("seed %d: Get hands out %s while another worker processes it", c.s.seed, key)
	}
	defer c.release(key)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := c.reconciler.Reconcile(ctx, key); err != nil {
		c.queue.AddRateLimited(key)
	} else {
		c.queue.Forget(key)
	}
	return true
}

// take reports whether no other worker has the key.
func (c *controller) take(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	free := !c.busy[key]
	c.busy[key] = true
	return free
}

func (c *controller) release(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, key)
}

// end waits for the workers.
func (c *controller) end() {
	c.queue.ShutDown()
	c.s.t.Unblocked("Get, after ShutDown,", c.workers.Wait)
}
