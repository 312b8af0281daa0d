package workqueue

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Contract: the highest priority first; among equals, first come first served.
func TestPriorityOrder(t *testing.T) {
	q := NewPriority(PriorityConfig[string]{})
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

// Contract: an item in line is raised and never lowered.
func TestPriorityRaise(t *testing.T) {
	q := NewPriority(PriorityConfig[string]{})
	defer q.ShutDown()
	q.AddWithPriority("a", 1)
	q.AddWithPriority("b", 2)
	q.AddWithPriority("c", 0)
	q.AddWithPriority("c", 2)
	q.AddWithPriority("b", -2)
	assert.Equal(t, []string{"b", "c", "a"}, take[string](t, q, 3))
}

// Contract: a retry keeps the priority of the try; a new Add has its own.
func TestPriorityOfRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewPriority(PriorityConfig[string]{RateLimiter: DefaultTypedItemBasedRateLimiter[string]()})
		defer q.ShutDown()
		again := func(readd func(item string)) []string {
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
		assert.Equal(t, []string{"middle", "low"}, again(q.AddRateLimited), "AddRateLimited")
		assert.Equal(t, []string{"middle", "low"}, again(func(i string) { q.AddAfter(i, time.Second) }), "AddAfter")
		assert.Equal(t, []string{"middle", "low"}, again(func(i string) { q.AddAfter(i, 0) }), "AddAfter 0")
		assert.Equal(t, []string{"low", "middle"}, again(q.Add), "Add")
		assert.Equal(t, []string{"low", "middle"}, again(func(i string) {
			q.AddRateLimited(i)
			q.AddWithPriority(i, 0)
		}), "an Add beside the retry")
	})
}

// Contract: priorities age, so that none starves. Whatever floods the queue,
// an item that came when n others waited is handed out after Age and at most
// 4(n+1) Gets; and until then the flood has what it asked for.
func TestAgeingBound(t *testing.T) {
	for _, age := range []time.Duration{0, time.Second, time.Minute, -1} {
		for _, n := range []int{0, 1, 10, 200} {
			synctest.Test(t, func(t *testing.T) {
				q := NewPriority(PriorityConfig[int]{Age: age})
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
					for range 3 { // more than can be worked off
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
						t.Fatalf("age %v, %d others: still waiting after %v and %d Gets", age, n, bound, late)
					}
					time.Sleep(100 * time.Millisecond)
				}
				if late == 0 {
					t.Errorf("age %v, %d others: overtook the flood after %v", age, n, time.Since(start))
				}
			})
		}
	}
}

// A backlog of overdue items leaves three quarters of the Gets to the rest.
func TestOverdueBacklogLeavesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewPriority(PriorityConfig[int]{})
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
