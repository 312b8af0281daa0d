// want: a key added while it is processed comes again after Done: a Get that waits is not woken
package workqueue

func (q *queue) Done(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.processing[key] {
		return
	}
	delete(q.processing, key)
	if q.dirty[key] {
		q.waiting = append(q.waiting, key)
	}
}
