// want: Done of a key that is not processed does nothing: after Done of a key that waits, Len is 2
package workqueue

// Done queues every dirty key.
func (q *queue) Done(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.processing, key)
	if q.dirty[key] {
		q.push(key)
	}
}
