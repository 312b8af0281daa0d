package workqueue

// ShutDown ends the adding: from now on Add and AddAfter do nothing, and
// delayed items are dropped. Workers still get what is in line, then the
// shutdown signal. Callers of [Typed.ShutDownWithDrain] stop waiting.
//
// When it returns, no timer of the queue is left; a goroutine that was
// just delivering or measuring ends by itself, without waiting for anything
// but the user's own metrics or Queue.
func (q *Typed[T]) ShutDown() {
	q.mu.Lock()
	q.close()
	q.release()
	q.cond.Broadcast()
	q.mu.Unlock()
	q.settle()
}

// ShutDownWithDrain is [Typed.ShutDown], and waits until everything that was
// in line and in work is done. Items that were delayed are dropped, not
// waited for: a back-off can last a quarter of an hour.
//
// Workers must be there to take what is in line. Any number of callers may
// wait; a ShutDown sends them all home. A worker that calls it before the
// Done of its own item waits for itself.
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
	q.settle()
	if drained != nil {
		<-drained
	}
}

// ShuttingDown reports whether the queue has been shut down.
func (q *Typed[T]) ShuttingDown() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.shut
}

func (q *Typed[T]) close() {
	q.shut = true
	q.delays.clear(func(n *entry[T]) {
		if n.val.state == 0 {
			q.items.remove(n)
		}
	})
	if q.meter != nil {
		q.meter.alarm.off()
	}
}

// idle reports whether there is nothing to drain.
func (q *Typed[T]) idle() bool { return q.line.len() == 0 && q.working == 0 }

// release ends the wait of every drainer.
func (q *Typed[T]) release() {
	if q.drained != nil {
		close(q.drained)
		q.drained = nil
	}
}

// settle brings the gauges up to date, since nothing will do it later.
func (q *Typed[T]) settle() {
	if q.meter != nil {
		q.meter.publish()
	}
}
