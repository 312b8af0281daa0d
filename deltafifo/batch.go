package deltafifo

import (
	"context"
	"fmt"
)

// A Batch describes a batch of deltas.
type Batch struct {
	// InInitialList: the deltas belong to the first Replace or were queued
	// before it.
	InInitialList bool
	// Replace: the deltas are one complete Replace, to be applied in one step.
	Replace bool
	// Version is what DeltaFIFO.Version returns after this batch and everything
	// queued before it has been processed. It is the version of a store to which
	// a single consumer has applied the batch.
	Version string
	// Markers are the markers among the deltas.
	Markers []Marker
}

// A Marker is a position in the order of arrival.
type Marker struct {
	Kind    MarkerKind
	Version string
	// After is the number of deltas of the batch before the marker.
	After int
}

// MarkerKind is the kind of a Marker.
type MarkerKind uint8

const (
	// Bookmark: all changes up to Version are before the marker.
	Bookmark MarkerKind = iota + 1
	// ReplaceEnd: the end of a Replace.
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

// PopBatch waits for something to process and calls process with queued deltas
// of all keys, in the order of arrival: as many as possible, up to max deltas
// (max <= 0: no limit), and up to the first delta whose key another consumer is
// processing. The same key may occur several times. Markers are part of a batch
// and do not count towards max. A marker is not delivered while another
// consumer is processing an older delta. A batch may consist only of markers.
//
// A Replace is a batch of its own, and complete regardless of max.
//
// As for Pop, a batch counts as processed when process has returned or panicked,
// and errors and panics are handled in the same way. The slices are valid only
// during the call.
//
// Possible errors: that of process, that of ctx, ErrClosed, ErrNoProcess.
func (q *DeltaFIFO[T]) PopBatch(ctx context.Context, max int, process func([]Delta[T], Batch) error) error {
	if process == nil {
		return ErrNoProcess
	}
	d, err := q.take(ctx, true, max)
	if err != nil {
		return err
	}
	defer q.finish(d)
	d.failed = true // until process has succeeded
	if err := process(d.processArg(), d.batchInfo); err != nil {
		return fmt.Errorf("deltafifo: processing %s: %w", d, err)
	}
	d.failed = false
	return nil
}

// beginBatch moves the batch at the head of the log to h.
func (q *DeltaFIFO[T]) beginBatch(d *delivery[T]) bool {
	last := q.gather(d)
	if last == nil {
		return false
	}
	d.firstNode = q.log.cut(last, len(d.deltas))
	d.batchInfo.InInitialList = q.inInitialList(d.firstNode.seq)
	d.batchInfo.Version = q.versionAfter(d)
	q.processing = append(q.processing, d)
	return true
}

// gather adds to h what can be delivered now, and returns the last node.
func (q *DeltaFIFO[T]) gather(d *delivery[T]) (last *node[T]) {
	if n := q.log.head; n != nil && n.relist {
		return q.gatherReplace(d)
	}
	for n := q.log.head; n != nil && !n.relist; n = n.next {
		if n.state == nil {
			if q.olderInProgress(n.seq) {
				break
			}
			d.addMarker(n)
		} else {
			if len(d.deltas) == d.max || n.state.inProgress != nil && n.state.owner != d {
				break
			}
			d.add(n)
			n.state.removeFirst(n)
		}
		last = n
	}
	return last
}

// gatherReplace adds the whole Replace at the head of the log to h, or nothing
// while a delta older than its end is being processed. That includes its keys: a
// delta in progress of such a key is older than those in the log, or was taken
// out of this Replace.
func (q *DeltaFIFO[T]) gatherReplace(d *delivery[T]) (last *node[T]) {
	end := q.log.head
	if q.olderInProgress(end.seq) {
		return nil
	}
	for end.state != nil {
		end = end.next
	}
	if q.olderInProgress(end.seq) {
		return nil
	}
	for n := q.log.head; n != end; n = n.next {
		d.add(n)
		n.state.removeFirst(n)
	}
	d.addMarker(end)
	d.batchInfo.Replace = true
	return end
}

// removeFirst removes the oldest queued delta of the key from its chain.
func (s *keyState[T]) removeFirst(n *node[T]) {
	s.first = n.nextOfKey
	if s.first == nil {
		s.last = nil
	}
}
