// want: a Get that finds no key waits again: with one key and two calls of Get, the one that finds nothing waits again: it returns shutdown
package workqueue

// Get looks once whether a key waits: another Get may have taken it since the Signal.
func (q *queue) Get() (key string, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 && !q.shutDown {
		q.changed.Wait()
	}
	if len(q.waiting) == 0 {
		return "", true
	}
	key, q.waiting = q.waiting[0], q.waiting[1:]
	delete(q.dirty, key)
	q.processing[key] = true
	return key, false
}
