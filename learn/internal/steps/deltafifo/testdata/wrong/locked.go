// want: writes do not wait for process: Pop must not hold its lock while it calls process
package deltafifo

import (
	"cmp"
	"context"
	"slices"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Pop calls process with the lock.
func (q *queue) Pop(ctx context.Context, process func(string, []stack.Delta, bool) error) error {
	defer context.AfterFunc(ctx, func() { _ = q.locked(func() {}) })()
	q.mu.Lock()
	defer q.mu.Unlock()
	isFree := func(key string) bool { return q.busy[key] == nil }
	for !slices.ContainsFunc(q.keys, isFree) && !q.closed && ctx.Err() == nil {
		q.changed.Wait()
	}
	next := slices.IndexFunc(q.keys, isFree)
	if next < 0 || ctx.Err() != nil {
		return cmp.Or(ctx.Err(), stack.ErrClosed)
	}
	key := q.keys[next]
	deltas, initial := q.items[key], q.initial[key]
	q.keys, q.busy[key] = slices.Delete(q.keys, next, next+1), deltas
	delete(q.items, key)
	defer func() {
		delete(q.busy, key)
		delete(q.initial, key)
		q.changed.Broadcast()
	}()
	return process(key, deltas, initial)
}
