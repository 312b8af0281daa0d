package workqueue

// ClearDirty makes the Done of an item that is being processed ignore the Adds since
// its Get. A worker calls it before it reads the state that the item refers to, if it has
// done something else since Get: it then reads what those Adds announce, and need not
// process the item again. An Add after it queues the item at Done, as always. For an item
// that is not being processed, or was not added again, it does nothing. Delays of the item
// remain.
func (q *PriorityQueue[T]) ClearDirty(item T) {
	// Without a lock: an Add that this does not see is concurrent, and is processed after
	// Done.
	if q.queue.addedAgain.Load() != 0 {
		q.queue.clearDirty(item)
	}
}

func (q *Typed[T]) clearDirty(item T) {
	if m := q.metrics; q.ignoreAdd(item) && m != nil {
		m.depth.Dec() // no Get follows the Add that has increased it
	}
}

// ignoreAdd makes Done ignore an Add of an item in processing, and reports whether there
// was one.
func (q *Typed[T]) ignoreAdd(item T) bool {
	hash := q.items.hash(item)
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.items.find(hash, item)
	if n == nil || n.val.state&addedAgain == 0 {
		return false
	}
	n.val.state &^= addedAgain
	q.addedAgain.Add(-1)
	if q.waiters > 0 && q.queue.len() == 0 && q.workerShouldStop() {
		q.cond.Broadcast() // during a drain, they were waiting for this item
	}
	return true
}
