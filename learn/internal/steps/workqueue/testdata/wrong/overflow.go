// want: the time of AddRateLimited doubles up to the limit: with base 1s and limit 10s: the key comes after 0s; want 10s
package workqueue

import "time"

// next overflows.
func (q *queue) next(key string) time.Duration {
	return min(q.base<<q.failures[key], q.limit)
}
