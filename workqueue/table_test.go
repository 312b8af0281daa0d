package workqueue

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A table has the contents of a Go map, while it grows and shrinks.
func TestTableMatchesMap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var table table[int, int]
	table.init()
	model := map[int]int{}
	for step := range 200_000 {
		keys := 10_000
		if step/20_000%2 == 1 {
			keys = 10
		}
		key := r.IntN(10_000)
		hash := table.hash(key)
		if len(model) < keys && r.IntN(2) == 0 {
			n := table.findOrAdd(hash, key)
			assert.Equal(t, model[key], n.val)
			n.val++
			model[key]++
		} else if n := table.find(hash, key); n != nil {
			assert.Equal(t, model[key], n.val)
			table.remove(n)
			delete(model, key)
		} else {
			assert.Zero(t, model[key])
		}
		if table.count != len(model) || len(table.free) > maxFreeNodes {
			t.Fatalf("step %d: %d entries, want %d; %d free cells", step, table.count, len(model), len(table.free))
		}
	}
	for key, val := range model {
		assert.Equal(t, val, table.find(table.hash(key), key).val)
	}
}

// The memory of nodes, cells, heap and default queue is released when the
// backlog has shrunk.
func TestMemoryShrinksWithBacklog(t *testing.T) {
	const backlog = 100_000
	q := NewTypedDelayingQueue[int]().(*delayingQueue[int])
	ring := new(ringBuffer[int])
	for i := range backlog {
		q.Add(i)
		q.AddAfter(i, 1<<50)
		ring.Push(i)
	}
	assert.Greater(t, len(q.items.slots), backlog)
	assert.Equal(t, backlog, q.delays.count)
	q.ShutDown()
	for i := range backlog {
		item, _ := q.Get()
		assert.Equal(t, i, item)
		q.Done(item)
		assert.Equal(t, i, ring.Pop())
	}
	assert.Zero(t, q.items.count)
	assert.LessOrEqual(t, len(q.items.slots), 8*minTableSize)
	assert.LessOrEqual(t, len(q.items.free), maxFreeNodes)
	assert.Zero(t, cap(q.delays.heap))
	assert.LessOrEqual(t, len(ring.buf), minRingBuffer)
}

// A defaultQueue has the contents of a slice, while it grows and shrinks.
func TestDefaultQueueMatchesSlice(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	q := DefaultQueue[int]()
	var model []int
	for step := range 50_000 {
		if r.IntN(100) < 30+40*(step/5_000%2) {
			q.Push(step)
			q.Touch(step)
			model = append(model, step)
		} else if len(model) > 0 {
			assert.Equal(t, model[0], q.Pop())
			model = model[1:]
		} else {
			assert.Zero(t, q.Pop())
		}
		assert.Equal(t, len(model), q.Len())
	}
}
