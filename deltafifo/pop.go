package deltafifo

import (
	"context"
	"fmt"
)

// Pop waits for a key that is not being processed, the one with the oldest delta
// first, and calls process with all its queued deltas. isInInitialList is true
// if the oldest of them belongs to the first Replace or was queued before it.
//
// The deltas count as processed when process has returned, even with an error,
// or has panicked. Pop wraps the error; a panic propagates. The deltas are not
// delivered again: the consumer is responsible for retries. d is valid only
// during the call.
//
// Markers are not delivered: Pop consumes those before which everything has been
// processed. A call of Pop inside process waits for another key, and may block
// forever.
//
// Possible errors: that of process, that of ctx, ErrClosed, ErrNoProcess.
func (q *DeltaFIFO[T]) Pop(ctx context.Context, process func(key string, d Deltas[T], isInInitialList bool) error) error {
	if process == nil {
		return ErrNoProcess
	}
	d, err := q.take(ctx, false, 0)
	if err != nil {
		return err
	}
	defer q.finish(d)
	key := d.deltas[0].Key
	d.failed = true // until process has succeeded
	if err := process(key, Deltas[T](d.processArg()), d.batchInfo.InInitialList); err != nil {
		return fmt.Errorf("deltafifo: processing %q: %w", key, err)
	}
	d.failed = false
	return nil
}

// beginPop moves all queued deltas of the first free key from the log to h.
func (q *DeltaFIFO[T]) beginPop(d *delivery[T]) bool {
	q.consumeMarkers()
	n := q.log.firstFree
	for n != nil && (n.state == nil || n.state.inProgress != nil) {
		n = n.next
	}
	q.log.firstFree = n
	if n == nil {
		return false
	}
	s := n.state
	d.firstNode = s.first
	for n := s.first; n != nil; n = n.nextOfKey {
		q.log.remove(n)
		n.next = n.nextOfKey
		d.add(n)
	}
	s.first, s.last = nil, nil
	d.batchInfo.InInitialList = q.inInitialList(d.firstNode.seq)
	q.processing = append(q.processing, d)
	return true
}
