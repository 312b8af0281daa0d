package workqueue

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Items are returned by priority, and items of equal priority in the order of
// arrival.
func TestItemsAreReturnedByPriority(t *testing.T) {
	q := NewPriorityQueue(PriorityQueueConfig[string]{})
	defer q.ShutDown()
	q.AddWithPriority("low", -1)
	q.Add("normal 1")
	q.AddWithPriority("lowest", math.MinInt)
	q.AddWithPriority("high 1", 1)
	q.AddWithPriority("highest", math.MaxInt)
	q.AddWithPriority("high 2", 1)
	q.Add("normal 2")
	assert.Equal(t, []string{"highest", "high 1", "high 2", "normal 1", "normal 2", "low", "lowest"},
		take[string](t, q, 7))
}

// The priority of a waiting item is raised and never lowered.
func TestPriorityOfWaitingItemIsRaised(t *testing.T) {
	q := NewPriorityQueue(PriorityQueueConfig[string]{})
	defer q.ShutDown()
	q.AddWithPriority("a", 1)
	q.AddWithPriority("b", 2)
	q.AddWithPriority("c", 0)
	q.AddWithPriority("c", 2)
	q.AddWithPriority("b", -2)
	assert.Equal(t, []string{"b", "c", "a"}, take[string](t, q, 3))
}

// A retry keeps the priority of the first attempt. A new Add has its own
// priority.
func TestPriorityOfRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewPriorityQueue(PriorityQueueConfig[string]{RateLimiter: DefaultTypedItemBasedRateLimiter[string]()})
		defer q.ShutDown()
		orderAfter := func(readd func(item string)) []string {
			q.AddWithPriority("low", -5)
			item := take[string](t, q, 1)[0]
			readd(item)
			q.Done(item)
			time.Sleep(5 * time.Second) // not yet overdue
			synctest.Wait()
			q.AddWithPriority("middle", -3)
			defer func() { q.Done("low"); q.Done("middle") }()
			return take[string](t, q, 2)
		}
		assert.Equal(t, []string{"middle", "low"}, orderAfter(q.AddRateLimited), "AddRateLimited")
		assert.Equal(t, []string{"middle", "low"}, orderAfter(func(i string) { q.AddAfter(i, time.Second) }), "AddAfter")
		assert.Equal(t, []string{"middle", "low"}, orderAfter(func(i string) { q.AddAfter(i, 0) }), "AddAfter 0")
		assert.Equal(t, []string{"low", "middle"}, orderAfter(q.Add), "Add")
		assert.Equal(t, []string{"low", "middle"}, orderAfter(func(i string) {
			q.AddRateLimited(i)
			q.AddWithPriority(i, 0)
		}), "Add and AddRateLimited")
	})
}

// Priorities age, so that no item starves. An item that was added when n
// others waited is returned after Age and at most 4(n+1) Gets, whatever is
// added. Until then, items of higher priority are returned first.
func TestNoItemStarves(t *testing.T) {
	for _, age := range []time.Duration{0, time.Second, time.Minute, -1} {
		for _, n := range []int{0, 1, 10, 200} {
			synctest.Test(t, func(t *testing.T) {
				q := NewPriorityQueue(PriorityQueueConfig[int]{Age: age})
				defer q.ShutDown()
				const low = -1
				for i := range n {
					q.AddWithPriority(i, 1)
				}
				q.AddWithPriority(low, math.MinInt)
				start, late, next := time.Now(), 0, n
				bound := age
				switch {
				case age == 0:
					bound = defaultAge
				case age < 0:
					bound = 0
				}
				for {
					for range 3 { // more items than are processed
						q.AddWithPriority(next, 2)
						next++
					}
					if time.Since(start) >= bound {
						late++
					}
					item, _ := q.Get()
					q.Done(item)
					if item == low {
						break
					}
					if late > 4*(n+1) {
						t.Fatalf("age %v, %d others: the item is still waiting after %v and %d Gets", age, n, bound, late)
					}
					time.Sleep(100 * time.Millisecond)
				}
				if late == 0 {
					t.Errorf("age %v, %d others: the item was returned too early, after %v", age, n, time.Since(start))
				}
			})
		}
	}
}

// Overdue items are returned by at most one Get in four.
func TestOverdueBacklogGetsEveryFourthGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewPriorityQueue(PriorityQueueConfig[int]{})
		defer q.ShutDown()
		for i := range 1000 {
			q.AddWithPriority(i, -1)
		}
		time.Sleep(time.Hour)
		for i := range 1000 {
			q.Add(1000 + i)
		}
		low := 0
		for _, item := range take[int](t, q, 1000) {
			if item < 1000 {
				low++
			}
		}
		assert.Equal(t, 250, low)
	})
}
