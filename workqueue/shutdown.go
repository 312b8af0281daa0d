package workqueue

// ShutDown stops accepting items: Add and AddAfter do nothing from now on, and
// delayed items are dropped. Workers still get the waiting items, and then
// shutdown. Callers of [Typed.ShutDownWithDrain] stop waiting.
//
// When it returns, the queue has no timer. A goroutine that is adding due
// items or updating metrics at that time waits only for the metrics or the
// custom Queue before it ends.
func (q *Typed[T]) ShutDown() {
	q.mu.Lock()
	q.close()
	q.releaseDrainers()
	q.cond.Broadcast()
	q.mu.Unlock()
	q.publishMetrics()
}

// ShutDownWithDrain calls ShutDown and waits until Done was called for all
// waiting items and all items in progress. Delayed items are dropped: a
// back-off can last a quarter of an hour.
//
// Workers must keep calling Get. Any number of callers may wait; a call of
// ShutDown ends their wait. A worker that calls ShutDownWithDrain before the
// Done of its own item waits for that item, and therefore blocks.
func (q *Typed[T]) ShutDownWithDrain() {
	q.mu.Lock()
	q.close()
	var drained chan struct{}
	if !q.idle() {
		if q.drained == nil {
			q.drained = make(chan struct{})
		}
		drained = q.drained
	}
	q.cond.Broadcast()
	q.mu.Unlock()
	q.publishMetrics()
	if drained != nil {
		<-drained
	}
}

// ShuttingDown reports whether the queue has been shut down.
func (q *Typed[T]) ShuttingDown() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.shuttingDown
}

func (q *Typed[T]) close() {
	q.shuttingDown = true
	q.delays.clear(func(n *entry[T]) {
		if n.val.state == 0 {
			q.items.remove(n)
		}
	})
	if q.metrics != nil {
		q.metrics.timer.stop()
	}
}

// idle reports whether no item is waiting or being processed.
func (q *Typed[T]) idle() bool { return q.queue.len() == 0 && q.processing == 0 }

// releaseDrainers ends the wait of every drainer.
func (q *Typed[T]) releaseDrainers() {
	if q.drained != nil {
		close(q.drained)
		q.drained = nil
	}
}

// publishMetrics updates the gauges, since no timer will do so later.
func (q *Typed[T]) publishMetrics() {
	if q.metrics != nil {
		q.metrics.publish()
	}
}
