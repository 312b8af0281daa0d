package deltafifo

import (
	"context"
	"fmt"
)

// Pop waits for a key that is not being processed, the one with the oldest
// delta first, and calls process with everything that happened to it and has
// not been handed out. isInInitialList is true if the oldest of it belongs to
// the first Replace or came before it.
//
// What was handed out counts as processed when process has returned, also with
// an error, which Pop returns (errors.Is finds it), or by a panic, which goes
// on. It is not handed out again: to retry is the consumer's business. d is
// valid only during the call.
//
// Markers are not handed out: Pop consumes those that all before them allows.
// Pop inside process waits for another key, and may wait for ever.
//
// Possible errors: that of process, that of ctx, ErrClosed, ErrNoProcess.
func (q *DeltaFIFO[T]) Pop(ctx context.Context, process func(key string, d Deltas[T], isInInitialList bool) error) error {
	if process == nil {
		return ErrNoProcess
	}
	h, err := q.take(ctx, false, 0)
	if err != nil {
		return err
	}
	defer q.finish(h)
	key := h.deltas[0].Key
	h.failed = true // until it has succeeded
	if err := process(key, Deltas[T](h.handed()), h.about.InInitialList); err != nil {
		return fmt.Errorf("deltafifo: processing %q: %w", key, err)
	}
	h.failed = false
	return nil
}

// beginPop moves the whole history of the first free key from the log to h.
func (q *DeltaFIFO[T]) beginPop(h *handout[T]) bool {
	q.passMarkers()
	n := q.log.free
	for n != nil && (n.state == nil || n.state.working != nil) {
		n = n.next
	}
	q.log.free = n
	if n == nil {
		return false
	}
	s := n.state
	h.first = s.first
	for n := s.first; n != nil; n = n.chain {
		q.log.remove(n)
		n.next = n.chain
		h.add(n)
	}
	s.first, s.last = nil, nil
	h.about.InInitialList = q.initial(h.first.seq)
	q.open = append(q.open, h)
	return true
}
