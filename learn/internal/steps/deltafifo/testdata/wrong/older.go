// want: HasSynced waits until the first Replace is processed: a@2 still waits
package deltafifo

import (
	"cmp"
	"context"
	"slices"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Pop counts a key as processed even if its process began before the first Replace.
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
	q.mu.Unlock()
	defer func() { // also after an error: trying again is the caller's decision
		q.mu.Lock()
		delete(q.busy, key)
		delete(q.initial, key)
		q.changed.Broadcast()
	}()
	return process(key, deltas, initial)
}
