package workqueue

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// hooked records what it is asked.
type hooked struct {
	ring[string]
	touched []string
}

func (q *hooked) Touch(item string) { q.touched = append(q.touched, item) }

// Contract of Queue: Touch for what is in line and added again, and only then.
func TestTouch(t *testing.T) {
	storage := new(hooked)
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: storage})
	defer q.ShutDown()
	q.Add("a")
	assert.Empty(t, storage.touched)
	q.Add("a")
	assert.Equal(t, []string{"a"}, storage.touched)
	take[string](t, q, 1)
	q.Add("a")
	q.Add("a")
	q.Done("a")
	assert.Equal(t, []string{"a"}, storage.touched)
	q.Add("a")
	assert.Equal(t, []string{"a", "a"}, storage.touched)
}

// Bad input: a Queue that returns an item twice, or one that it was never
// given. The first is still not with two workers at once; the second is
// handed out.
func TestQueueThatMakesThingsUp(t *testing.T) {
	storage := new(hooked)
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: storage})
	q.Add("a")
	storage.Push("a")
	storage.Push("made up")
	assert.Equal(t, []string{"a", "made up"}, take[string](t, q, 2))
	q.Done("a")
	q.Done("made up")
	assert.Equal(t, []string{"a"}, take[string](t, q, 1))
	q.Done("a")
	q.ShutDownWithDrain()
}

// A Queue may panic: the panic is its caller's, and the lock is free again.
func TestQueueThatPanics(t *testing.T) {
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: refusing{new(ring[string])}})
	assert.Panics(t, func() { q.Add("refused") })
	q.Add("a")
	assert.Equal(t, []string{"a"}, take[string](t, q, 1))
	q.Done("a")
	q.ShutDown()
}

type refusing struct{ Queue[string] }

func (q refusing) Push(item string) {
	if item == "refused" {
		panic(item)
	}
	q.Queue.Push(item)
}
