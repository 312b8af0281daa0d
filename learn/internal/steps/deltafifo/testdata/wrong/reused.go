// want: a key is not handed out while it is processed: a write must not use their slice
package deltafifo

import (
	"cmp"
	"context"
	"slices"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Pop keeps the slice of the changes for the next ones.
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
	q.items[key] = deltas[:0]
	q.mu.Unlock()
	defer func() { // also after an error: trying again is the caller's decision
		q.mu.Lock()
		delete(q.busy, key)
		if initial { // a process that began before the first Replace does not count
			delete(q.initial, key)
		}
		q.changed.Broadcast()
	}()
	return process(key, deltas, initial)
}
