package deltafifo

import (
	"context"
	"fmt"
)

// A Batch says what a batch of deltas is a part of.
type Batch struct {
	// InInitialList: the deltas belong to the first Replace or came before it.
	InInitialList bool
	// Replace: the deltas are one whole Replace, to be applied in one step.
	Replace bool
	// Version is what Version returns when this batch and everything that
	// arrived before it has been processed: that of a store to which a single
	// consumer has applied it.
	Version string
	// Markers are the markers among the deltas.
	Markers []Marker
}

// A Marker is a place in the order of arrival.
type Marker struct {
	Kind    MarkerKind
	Version string
	// After is how many of the batch's deltas come before the marker.
	After int
}

// MarkerKind says what a Marker marks.
type MarkerKind uint8

const (
	// Bookmark: everything up to Version is before this place.
	Bookmark MarkerKind = iota + 1
	// ReplaceEnd: so ends a Replace.
	ReplaceEnd
)

func (k MarkerKind) String() string {
	switch k {
	case Bookmark:
		return "Bookmark"
	case ReplaceEnd:
		return "ReplaceEnd"
	default:
		return fmt.Sprintf("MarkerKind(%d)", uint8(k))
	}
}

// PopBatch waits for something to process and calls process with what has not
// been handed out, in the order of arrival across keys and as much of it as
// can be: up to max deltas (max <= 0: without bound), and up to the first one
// whose key somebody else is processing. The same key may come several times.
// Markers come with the deltas and do not count; one of which an older delta is
// with somebody else is waited for. A batch may be markers only.
//
// A Replace is a batch of its own, whole whatever max says.
//
// When a batch counts as processed, and what becomes of errors and panics, is
// as with Pop. The slices are valid only during the call.
//
// Possible errors: that of process, that of ctx, ErrClosed, ErrNoProcess.
func (q *DeltaFIFO[T]) PopBatch(ctx context.Context, max int, process func([]Delta[T], Batch) error) error {
	if process == nil {
		return ErrNoProcess
	}
	h, err := q.take(ctx, true, max)
	if err != nil {
		return err
	}
	defer q.finish(h)
	h.failed = true // until it has succeeded
	if err := process(h.handed(), h.about); err != nil {
		return fmt.Errorf("deltafifo: processing %s: %w", h, err)
	}
	h.failed = false
	return nil
}

// beginBatch moves the batch at the head of the log to h.
func (q *DeltaFIFO[T]) beginBatch(h *handout[T]) bool {
	last := q.gather(h)
	if last == nil {
		return false
	}
	h.first = q.log.cut(last, len(h.deltas))
	h.about.InInitialList = q.initial(h.first.seq)
	h.about.Version = q.versionAfter(h)
	q.open = append(q.open, h)
	return true
}

// gather adds to h what it may have now, and returns the last of it.
func (q *DeltaFIFO[T]) gather(h *handout[T]) (last *node[T]) {
	if n := q.log.head; n != nil && n.relist {
		return q.gatherReplace(h)
	}
	for n := q.log.head; n != nil && !n.relist; n = n.next {
		if n.state == nil {
			if q.olderOpen(n.seq) {
				break
			}
			h.addMarker(n)
		} else {
			if len(h.deltas) == h.max || n.state.working != nil && n.state.owner != h {
				break
			}
			h.add(n)
			n.state.unchain(n)
		}
		last = n
	}
	return last
}

// gatherReplace adds the whole Replace at the head of the log to h, or nothing
// while anything older than its end is being processed. That covers its keys:
// a delta of such a key that is being processed is older than the key's in the
// log, or was taken out of this Replace.
func (q *DeltaFIFO[T]) gatherReplace(h *handout[T]) (last *node[T]) {
	end := q.log.head
	if q.olderOpen(end.seq) {
		return nil
	}
	for end.state != nil {
		end = end.next
	}
	if q.olderOpen(end.seq) {
		return nil
	}
	for n := q.log.head; n != end; n = n.next {
		h.add(n)
		n.state.unchain(n)
	}
	h.addMarker(end)
	h.about.Replace = true
	return end
}

// unchain takes the key's oldest queued delta off its chain.
func (s *keyState[T]) unchain(n *node[T]) {
	s.first = n.chain
	if s.first == nil {
		s.last = nil
	}
}
