package workqueue

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The table against a map of Go, through growth and shrinking.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var table table[int, int]
	table.init()
	twin := map[int]int{}
	for step := range 200_000 {
		keys := 10_000
		if step/20_000%2 == 1 {
			keys = 10
		}
		key := r.IntN(10_000)
		hash := table.hash(key)
		if len(twin) < keys && r.IntN(2) == 0 {
			n := table.findOrAdd(hash, key)
			assert.Equal(t, twin[key], n.val)
			n.val++
			twin[key]++
		} else if n := table.find(hash, key); n != nil {
			assert.Equal(t, twin[key], n.val)
			table.remove(n)
			delete(twin, key)
		} else {
			assert.Zero(t, twin[key])
		}
		if table.live != len(twin) || len(table.free) > spares {
			t.Fatalf("step %d: %d live, want %d; %d spare", step, table.live, len(twin), len(table.free))
		}
	}
	for key, val := range twin {
		assert.Equal(t, val, table.find(table.hash(key), key).val)
	}
}

// Memory follows the backlog down again: nodes, cells, heap, ring.
func TestMemoryFollowsTheBacklog(t *testing.T) {
	const backlog = 100_000
	q := NewTypedDelayingQueue[int]().(*delaying[int])
	ring := new(ring[int])
	for i := range backlog {
		q.Add(i)
		q.AddAfter(i, 1<<50)
		ring.Push(i)
	}
	assert.Greater(t, len(q.items.cells), backlog)
	assert.Equal(t, backlog, q.delays.count)
	q.ShutDown()
	for i := range backlog {
		item, _ := q.Get()
		assert.Equal(t, i, item)
		q.Done(item)
		assert.Equal(t, i, ring.Pop())
	}
	assert.Zero(t, q.items.live)
	assert.LessOrEqual(t, len(q.items.cells), 8*minCells)
	assert.LessOrEqual(t, len(q.items.free), spares)
	assert.Zero(t, cap(q.delays.heap))
	assert.LessOrEqual(t, len(ring.buf), minRing)
}

// The ring against a slice, through growth and shrinking.
func TestDefaultQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	q := DefaultQueue[int]()
	var twin []int
	for step := range 50_000 {
		if r.IntN(100) < 30+40*(step/5_000%2) {
			q.Push(step)
			q.Touch(step)
			twin = append(twin, step)
		} else if len(twin) > 0 {
			assert.Equal(t, twin[0], q.Pop())
			twin = twin[1:]
		} else {
			assert.Zero(t, q.Pop())
		}
		assert.Equal(t, len(twin), q.Len())
	}
}
