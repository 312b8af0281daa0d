// want: the time of AddRateLimited doubles up to the limit: AddRateLimited returns after 1s; want that it returns at once
package workqueue

import "time"

// AddRateLimited makes the worker wait.
func (q *queue) AddRateLimited(key string) {
	q.mu.Lock()
	after := q.next(key)
	q.failures[key]++
	q.mu.Unlock()
	time.Sleep(after)
	q.Add(key)
}
