// want: a delay that ends while the key is processed waits for Done: after a delay that has ended while the key is processed, Get returns shop/a
package workqueue

import "time"

// AddRateLimited puts the key into waiting, whatever happens to it.
func (q *queue) AddRateLimited(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	after := q.next(key)
	q.failures[key]++
	end := time.Now().Add(after)
	if current, delayed := q.delayed[key]; delayed && !end.Before(current) {
		return
	}
	q.delayed[key] = end
	time.AfterFunc(after, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.delayed[key].Equal(end) && !q.shutDown && !q.dirty[key] {
			delete(q.delayed, key)
			q.dirty[key] = true
			q.push(key)
		}
	})
}
