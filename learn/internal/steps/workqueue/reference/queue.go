// Package workqueue is the reference of step 10: the queue between handlers and workers.
package workqueue

import (
	"sync"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// queue hands out keys. A key that is added while it is processed is in dirty and in
// processing, and not in waiting before Done.
type queue struct {
	base, limit time.Duration

	mu         sync.Mutex
	changed    sync.Cond            // waiting has grown, or shutDown has been set
	waiting    []string             // in the order in which Get hands them out
	dirty      map[string]bool      // added, and not handed out since
	processing map[string]bool      // handed out, and not done since
	delayed    map[string]time.Time // the end of the delay
	failures   map[string]int       // calls of AddRateLimited since Forget
	shutDown   bool
}

// NewWorkQueue returns a queue. base and limit are the shortest and the longest time of
// AddRateLimited.
func NewWorkQueue(base, limit time.Duration) stack.WorkQueue {
	q := &queue{
		base: base, limit: limit,
		dirty: map[string]bool{}, processing: map[string]bool{},
		delayed: map[string]time.Time{}, failures: map[string]int{},
	}
	q.changed.L = &q.mu
	return q
}

func (q *queue) Add(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(key)
}

// add is Add with the lock held.
func (q *queue) add(key string) {
	if q.shutDown || q.dirty[key] {
		return
	}
	q.dirty[key] = true
	// Two workers must not have the same key, so Done moves this one to waiting.
	if !q.processing[key] {
		q.push(key)
	}
}

func (q *queue) push(key string) {
	q.waiting = append(q.waiting, key)
	q.changed.Signal()
}

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
	// The worker has not read the object yet. A change after this line may be one that
	// it does not see, so an Add from here on counts.
	delete(q.dirty, key)
	q.processing[key] = true
	return key, false
}

func (q *queue) Done(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.processing[key] {
		return
	}
	delete(q.processing, key)
	if q.dirty[key] {
		q.push(key)
	}
}

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
		// A delay that was replaced by a shorter one has no effect.
		if q.delayed[key].Equal(end) {
			delete(q.delayed, key)
			q.add(key)
		}
	})
}

// next returns the time of the next AddRateLimited. It doubles step by step, because
// base<<failures overflows after 63 calls or fewer.
func (q *queue) next(key string) time.Duration {
	after := min(q.base, q.limit)
	for range q.failures[key] {
		if after > q.limit/2 {
			return q.limit
		}
		after *= 2
	}
	return after
}

func (q *queue) Forget(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.failures, key)
}

func (q *queue) NumRequeues(key string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failures[key]
}

func (q *queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

func (q *queue) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shutDown = true
	q.changed.Broadcast()
}
