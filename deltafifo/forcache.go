// Only package cache uses the exported names of this file.

package deltafifo

// SkipInitialList declares that there will be no initial Replace: the queue is
// synced from now on, and later deltas are not part of an initial list. After
// the first Replace it does nothing.
func (q *DeltaFIFO[T]) SkipInitialList() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.firstReplaceEnd != 0 {
		return
	}
	q.seq++ // no node has this number, so none closes synced again
	q.firstReplaceEnd = q.seq
	close(q.synced)
}

// ConsumeMarkers consumes the markers before which everything has been
// processed, as Pop does when it begins. A Replace without deltas then counts as
// processed without a call of Pop. PopBatch does not deliver these markers.
func (q *DeltaFIFO[T]) ConsumeMarkers() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.consumeMarkers()
}
