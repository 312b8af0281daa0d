// want: of two delays the first to end counts: AddRateLimited of the delayed key, which counts, NumRequeues is 1; want 2
package workqueue

import "time"

// AddRateLimited counts only the delays that it starts.
func (q *queue) AddRateLimited(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	after := q.next(key)
	end := time.Now().Add(after)
	if current, delayed := q.delayed[key]; delayed && !end.Before(current) {
		return
	}
	q.failures[key]++
	q.delayed[key] = end
	time.AfterFunc(after, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.delayed[key].Equal(end) {
			delete(q.delayed, key)
			q.add(key)
		}
	})
}
