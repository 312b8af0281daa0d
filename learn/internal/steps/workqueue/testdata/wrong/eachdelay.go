// want: of two delays the first to end counts: after the key has come at 1s, Get returns shop/a
package workqueue

import "time"

// AddRateLimited adds the key after each delay.
func (q *queue) AddRateLimited(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	after := q.next(key)
	q.failures[key]++
	time.AfterFunc(after, func() { q.Add(key) })
}
