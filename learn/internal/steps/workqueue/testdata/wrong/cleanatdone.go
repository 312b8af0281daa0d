// want: a key added while it is processed comes again after Done: this change would be lost
package workqueue

// Get leaves the key in dirty until Done, so that Add ignores it.
func (q *queue) Get() (key string, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 {
		if q.shutDown {
			return "", true
		}
		q.changed.Wait()
	}
	key, q.waiting = q.waiting[0], q.waiting[1:]
	q.processing[key] = true
	return key, false
}

func (q *queue) Done(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.processing[key] {
		delete(q.dirty, key)
		delete(q.processing, key)
	}
}
