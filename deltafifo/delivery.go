package deltafifo

import (
	"context"
	"fmt"
	"slices"
)

// A delivery is a call of Pop or PopBatch, with the nodes that it has received.
type delivery[T any] struct {
	batch bool
	max   int // -1: no limit

	// firstNode is the oldest node; the others follow by next, in the order of
	// arrival. Invariant: while the delivery is in DeltaFIFO.processing it has at
	// least one node.
	firstNode *node[T]
	// deltas and batchInfo are the arguments of the process function.
	deltas    []Delta[T]
	batchInfo Batch

	// failed: process has not returned, or has returned an error. The consumer's
	// store may lack the deltas, so the known state has changed.
	failed bool

	// wake has capacity one. The goroutine that removes the delivery from
	// DeltaFIFO.waiters sends to it.
	wake chan struct{}
}

const (
	// maxIdleDeltas is the maximum capacity of the buffer of an idle delivery.
	maxIdleDeltas = 4096
	// maxIdleDeliveries is the maximum number of idle deliveries.
	maxIdleDeliveries = 8
)

func (d *delivery[T]) add(n *node[T]) {
	n.state.inProgress, n.state.owner = n, d
	delta := Delta[T]{Type: n.kind, Object: n.object, Key: n.state.key, FinalStateUnknown: n.finalStateUnknown}
	if n.final != nil && !d.batch {
		delta.Object, delta.FinalStateUnknown = *n.final, false
	}
	d.deltas = append(d.deltas, delta)
}

func (d *delivery[T]) addMarker(n *node[T]) {
	d.batchInfo.Markers = append(d.batchInfo.Markers, Marker{Kind: n.marker, Version: n.version, After: len(d.deltas)})
}

// processArg returns the deltas for the process function. Its capacity is
// limited, so that an append does not write to the buffer.
func (d *delivery[T]) processArg() []Delta[T] {
	return d.deltas[:len(d.deltas):len(d.deltas)]
}

func (d *delivery[T]) String() string {
	for n := d.firstNode; n != nil; n = n.next { // not h.deltas, which process may have changed
		if n.state != nil {
			return fmt.Sprintf("a batch of %d deltas beginning with %q", len(d.deltas), n.state.key)
		}
	}
	return fmt.Sprintf("%d markers", len(d.batchInfo.Markers))
}

// take waits until there is something to deliver.
func (q *DeltaFIFO[T]) take(ctx context.Context, batch bool, max int) (*delivery[T], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	d := q.newDelivery(batch, max)
	for {
		if err := ctx.Err(); err != nil {
			q.release(d)
			return nil, fmt.Errorf("deltafifo: waiting for something to process: %w", err)
		}
		if q.begin(d) {
			return d, nil
		}
		if q.closed && q.log.head == nil {
			q.release(d)
			return nil, ErrClosed
		}
		q.wait(ctx, d)
	}
}

// newDelivery returns a delivery to be filled by begin.
func (q *DeltaFIFO[T]) newDelivery(batch bool, max int) *delivery[T] {
	var d *delivery[T]
	if last := len(q.idleDeliveries) - 1; last >= 0 {
		d, q.idleDeliveries = q.idleDeliveries[last], q.idleDeliveries[:last]
	} else {
		d = &delivery[T]{wake: make(chan struct{}, 1)}
	}
	if d.batch, d.max = batch, max; max <= 0 {
		d.max = -1
	}
	return d
}

// begin moves what can be delivered now to h. It reports whether there was
// anything.
func (q *DeltaFIFO[T]) begin(d *delivery[T]) bool {
	if d.batch {
		return q.beginBatch(d)
	}
	return q.beginPop(d)
}

// wait releases the lock until the queue has changed or ctx is done.
func (q *DeltaFIFO[T]) wait(ctx context.Context, d *delivery[T]) {
	q.waiters = append(q.waiters, d)
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-d.wake:
	case <-ctx.Done():
		q.stopWaiting(d)
	}
}

func (q *DeltaFIFO[T]) stopWaiting(d *delivery[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiters, d); i >= 0 {
		q.waiters = slices.Delete(q.waiters, i, i+1)
		return
	}
	<-d.wake // another goroutine has removed h, and has sent to wake
}

// wake wakes all waiters, which check the queue again.
func (q *DeltaFIFO[T]) wake() {
	for i, d := range q.waiters {
		d.wake <- struct{}{}
		q.waiters[i] = nil
	}
	q.waiters = q.waiters[:0]
}

// finish marks the nodes of h as processed.
func (q *DeltaFIFO[T]) finish(d *delivery[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.processing, d); i >= 0 {
		q.processing = slices.Delete(q.processing, i, i+1)
	}
	for n := d.firstNode; n != nil; {
		next := n.next
		if d.failed && n.state != nil {
			q.keyChanged(n.state.key)
		}
		q.finishNode(n)
		n = next
	}
	if !d.batch {
		q.consumeMarkers()
	}
	q.release(d)
	q.wake()
}

func (q *DeltaFIFO[T]) finishNode(n *node[T]) {
	s := n.state
	switch {
	case s == nil:
		q.markerProcessed(n)
	case s.inProgress != n:
		// A newer delta of the same key is in this delivery.
	case s.first == nil:
		q.keys.remove(s)
	default:
		s.inProgress, s.owner = nil, nil
		q.log.keyFreed(s.first)
	}
	q.recycle(n)
}

// release clears a delivery, so that it keeps no object alive, and keeps it for
// the next call unless it has grown large.
func (q *DeltaFIFO[T]) release(d *delivery[T]) {
	d.firstNode, d.failed = nil, false
	clear(d.deltas)
	if d.deltas = d.deltas[:0]; cap(d.deltas) > maxIdleDeltas {
		d.deltas = nil
	}
	if d.batch {
		markers := d.batchInfo.Markers[:0]
		clear(d.batchInfo.Markers)
		if cap(markers) > maxIdleDeltas {
			markers = nil
		}
		d.batchInfo = Batch{Markers: markers}
	}
	if len(q.idleDeliveries) < maxIdleDeliveries {
		q.idleDeliveries = append(q.idleDeliveries, d)
	}
}
