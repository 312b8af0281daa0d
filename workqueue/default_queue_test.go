package workqueue

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// recordingQueue records the calls of Touch.
type recordingQueue struct {
	ringBuffer[string]
	touched []string
}

func (q *recordingQueue) Touch(item string) { q.touched = append(q.touched, item) }

// Touch is called only for waiting items that are added again.
func TestTouchIsCalledForWaitingItems(t *testing.T) {
	storage := new(recordingQueue)
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

// A Queue returns an item twice, and an item that was never pushed. The
// repeated item is not processed by two workers; the unknown item is returned.
func TestQueueReturnsUnknownItems(t *testing.T) {
	storage := new(recordingQueue)
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: storage})
	q.Add("a")
	storage.Push("a")
	storage.Push("unknown")
	assert.Equal(t, []string{"a", "unknown"}, take[string](t, q, 2))
	q.Done("a")
	q.Done("unknown")
	assert.Equal(t, []string{"a"}, take[string](t, q, 1))
	q.Done("a")
	q.ShutDownWithDrain()
}

// If a Queue panics, the panic reaches the caller and the lock is released.
func TestPanicOfQueueReleasesTheLock(t *testing.T) {
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: panickingQueue{new(ringBuffer[string])}})
	assert.Panics(t, func() { q.Add("refused") })
	q.Add("a")
	assert.Equal(t, []string{"a"}, take[string](t, q, 1))
	q.Done("a")
	q.ShutDown()
}

type panickingQueue struct{ Queue[string] }

func (q panickingQueue) Push(item string) {
	if item == "refused" {
		panic(item)
	}
	q.Queue.Push(item)
}
