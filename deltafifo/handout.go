package deltafifo

import (
	"context"
	"fmt"
	"slices"
)

// A handout is a call of Pop or PopBatch, with the nodes that it has received.
type handout[T any] struct {
	batch bool
	max   int // -1: no limit

	// firstNode is the oldest node; the others follow by next, in the order of
	// arrival. Invariant: while the handout is in DeltaFIFO.processing it has at
	// least one node.
	firstNode *node[T]
	// deltas and batchInfo are the arguments of the process function.
	deltas    []Delta[T]
	batchInfo Batch

	// failed: process has not returned, or has returned an error. The consumer's
	// store may lack the deltas, so the known state has changed.
	failed bool

	// wake has capacity one. The goroutine that removes the handout from
	// DeltaFIFO.waiters sends to it.
	wake chan struct{}
}

const (
	// maxIdleDeltas is the maximum capacity of the buffer of an idle handout.
	maxIdleDeltas = 4096
	// maxIdleHandouts is the maximum number of idle handouts.
	maxIdleHandouts = 8
)

func (h *handout[T]) add(n *node[T]) {
	n.state.inProgress, n.state.owner = n, h
	d := Delta[T]{Type: n.kind, Object: n.object, Key: n.state.key, FinalStateUnknown: n.finalStateUnknown}
	if n.final != nil && !h.batch {
		d.Object, d.FinalStateUnknown = *n.final, false
	}
	h.deltas = append(h.deltas, d)
}

func (h *handout[T]) addMarker(n *node[T]) {
	h.batchInfo.Markers = append(h.batchInfo.Markers, Marker{Kind: n.marker, Version: n.version, After: len(h.deltas)})
}

// processArg returns the deltas for the process function. Its capacity is
// limited, so that an append does not write to the buffer.
func (h *handout[T]) processArg() []Delta[T] {
	return h.deltas[:len(h.deltas):len(h.deltas)]
}

func (h *handout[T]) String() string {
	for n := h.firstNode; n != nil; n = n.next { // not h.deltas, which process may have changed
		if n.state != nil {
			return fmt.Sprintf("a batch of %d deltas beginning with %q", len(h.deltas), n.state.key)
		}
	}
	return fmt.Sprintf("%d markers", len(h.batchInfo.Markers))
}

// take waits until there is something to deliver.
func (q *DeltaFIFO[T]) take(ctx context.Context, batch bool, max int) (*handout[T], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.newHandout(batch, max)
	for {
		if err := ctx.Err(); err != nil {
			q.release(h)
			return nil, fmt.Errorf("deltafifo: waiting for something to process: %w", err)
		}
		if q.begin(h) {
			return h, nil
		}
		if q.closed && q.log.head == nil {
			q.release(h)
			return nil, ErrClosed
		}
		q.wait(ctx, h)
	}
}

// newHandout returns a handout to be filled by begin.
func (q *DeltaFIFO[T]) newHandout(batch bool, max int) *handout[T] {
	var h *handout[T]
	if last := len(q.idleHandouts) - 1; last >= 0 {
		h, q.idleHandouts = q.idleHandouts[last], q.idleHandouts[:last]
	} else {
		h = &handout[T]{wake: make(chan struct{}, 1)}
	}
	if h.batch, h.max = batch, max; max <= 0 {
		h.max = -1
	}
	return h
}

// begin moves what can be delivered now to h. It reports whether there was
// anything.
func (q *DeltaFIFO[T]) begin(h *handout[T]) bool {
	if h.batch {
		return q.beginBatch(h)
	}
	return q.beginPop(h)
}

// wait releases the lock until the queue has changed or ctx is done.
func (q *DeltaFIFO[T]) wait(ctx context.Context, h *handout[T]) {
	q.waiters = append(q.waiters, h)
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-h.wake:
	case <-ctx.Done():
		q.stopWaiting(h)
	}
}

func (q *DeltaFIFO[T]) stopWaiting(h *handout[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiters, h); i >= 0 {
		q.waiters = slices.Delete(q.waiters, i, i+1)
		return
	}
	<-h.wake // another goroutine has removed h, and has sent to wake
}

// wake wakes all waiters, which check the queue again.
func (q *DeltaFIFO[T]) wake() {
	for i, h := range q.waiters {
		h.wake <- struct{}{}
		q.waiters[i] = nil
	}
	q.waiters = q.waiters[:0]
}

// finish marks the nodes of h as processed.
func (q *DeltaFIFO[T]) finish(h *handout[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.processing, h); i >= 0 {
		q.processing = slices.Delete(q.processing, i, i+1)
	}
	for n := h.firstNode; n != nil; {
		next := n.next
		if h.failed && n.state != nil {
			q.keyChanged(n.state.key)
		}
		q.finishNode(n)
		n = next
	}
	if !h.batch {
		q.consumeMarkers()
	}
	q.release(h)
	q.wake()
}

func (q *DeltaFIFO[T]) finishNode(n *node[T]) {
	s := n.state
	switch {
	case s == nil:
		q.markerProcessed(n)
	case s.inProgress != n:
		// A newer delta of the same key is in this handout.
	case s.first == nil:
		q.keys.remove(s)
	default:
		s.inProgress, s.owner = nil, nil
		q.log.keyFreed(s.first)
	}
	q.recycle(n)
}

// release clears a handout, so that it keeps no object alive, and keeps it for
// the next call unless it has grown large.
func (q *DeltaFIFO[T]) release(h *handout[T]) {
	h.firstNode, h.failed = nil, false
	clear(h.deltas)
	if h.deltas = h.deltas[:0]; cap(h.deltas) > maxIdleDeltas {
		h.deltas = nil
	}
	if h.batch {
		markers := h.batchInfo.Markers[:0]
		clear(h.batchInfo.Markers)
		if cap(markers) > maxIdleDeltas {
			markers = nil
		}
		h.batchInfo = Batch{Markers: markers}
	}
	if len(q.idleHandouts) < maxIdleHandouts {
		q.idleHandouts = append(q.idleHandouts, h)
	}
}
