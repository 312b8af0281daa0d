package deltafifo

import (
	"context"
	"fmt"
	"slices"
)

// A handout is what one call of Pop or PopBatch is after, or has been given.
type handout[T any] struct {
	batch bool
	max   int // -1: no bound

	// first is the oldest node of what was handed out; the others follow by
	// next, in the order of arrival. Invariant: while the handout is in
	// DeltaFIFO.open it has at least one node.
	first *node[T]
	// deltas and about are what the process function sees of them.
	deltas []Delta[T]
	about  Batch

	// failed: process has not returned, or returned an error. What it was given
	// may not be in the consumer's store, so the known state is another one.
	failed bool

	// wake has room for one token, sent by whoever takes the handout off
	// DeltaFIFO.waiting.
	wake chan struct{}
}

const (
	// keptDeltas is how many deltas the buffer of an idle handout may hold.
	keptDeltas = 4096
	// keptHandouts is how many idle handouts there may be.
	keptHandouts = 8
)

func (h *handout[T]) add(n *node[T]) {
	n.state.working, n.state.owner = n, h
	h.deltas = append(h.deltas, Delta[T]{
		Type: n.kind, Object: n.object, Key: n.state.key, FinalStateUnknown: n.finalStateUnknown,
	})
}

func (h *handout[T]) addMarker(n *node[T]) {
	h.about.Markers = append(h.about.Markers, Marker{Kind: n.marker, Version: n.version, After: len(h.deltas)})
}

// handed is the deltas as the process function gets them: what it appends does
// not get into our buffer.
func (h *handout[T]) handed() []Delta[T] {
	return h.deltas[:len(h.deltas):len(h.deltas)]
}

func (h *handout[T]) String() string {
	for n := h.first; n != nil; n = n.next { // not h.deltas, which process may have changed
		if n.state != nil {
			return fmt.Sprintf("a batch of %d deltas beginning with %q", len(h.deltas), n.state.key)
		}
	}
	return fmt.Sprintf("%d markers", len(h.about.Markers))
}

// take waits until there is something to hand out.
func (q *DeltaFIFO[T]) take(ctx context.Context, batch bool, max int) (*handout[T], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.request(batch, max)
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

// request returns a handout to be filled by begin.
func (q *DeltaFIFO[T]) request(batch bool, max int) *handout[T] {
	var h *handout[T]
	if last := len(q.idle) - 1; last >= 0 {
		h, q.idle = q.idle[last], q.idle[:last]
	} else {
		h = &handout[T]{wake: make(chan struct{}, 1)}
	}
	if h.batch, h.max = batch, max; max <= 0 {
		h.max = -1
	}
	return h
}

// begin hands out to h what can be handed out now, or reports false.
func (q *DeltaFIFO[T]) begin(h *handout[T]) bool {
	if h.batch {
		return q.beginBatch(h)
	}
	return q.beginPop(h)
}

// wait gives up the lock until something has happened or ctx is done.
func (q *DeltaFIFO[T]) wait(ctx context.Context, h *handout[T]) {
	q.waiting = append(q.waiting, h)
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
	if i := slices.Index(q.waiting, h); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return
	}
	<-h.wake // somebody has taken it off, and sent the token
}

// wake tells those who wait to look again.
func (q *DeltaFIFO[T]) wake() {
	for i, h := range q.waiting {
		h.wake <- struct{}{}
		q.waiting[i] = nil
	}
	q.waiting = q.waiting[:0]
}

// finish counts what was handed out as processed.
func (q *DeltaFIFO[T]) finish(h *handout[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.open, h); i >= 0 {
		q.open = slices.Delete(q.open, i, i+1)
	}
	for n := h.first; n != nil; {
		next := n.next
		if h.failed && n.state != nil {
			q.changed(n.state.key)
		}
		q.finishNode(n)
		n = next
	}
	if !h.batch {
		q.passMarkers()
	}
	q.release(h)
	q.wake()
}

func (q *DeltaFIFO[T]) finishNode(n *node[T]) {
	s := n.state
	switch {
	case s == nil:
		q.passed(n)
	case s.working != n:
		// A newer delta of the same key is in this handout.
	case s.first == nil:
		q.keys.remove(s)
	default:
		s.working, s.owner = nil, nil
		q.log.freed(s.first)
	}
	q.discard(n)
}

// release clears a handout, so that it pins no object, and keeps it for the
// next call unless it has grown large.
func (q *DeltaFIFO[T]) release(h *handout[T]) {
	h.first, h.failed = nil, false
	clear(h.deltas)
	if h.deltas = h.deltas[:0]; cap(h.deltas) > keptDeltas {
		h.deltas = nil
	}
	if h.batch {
		markers := h.about.Markers[:0]
		clear(h.about.Markers)
		if cap(markers) > keptDeltas {
			markers = nil
		}
		h.about = Batch{Markers: markers}
	}
	if len(q.idle) < keptHandouts {
		q.idle = append(q.idle, h)
	}
}
