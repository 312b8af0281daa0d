package deltafifo

// Version returns the watermark: everything that the source told up to this
// version has been handed out and processed. It is "" until a version is known.
//
// A version is a string to be handed on, never compared: the watermark follows
// the order of arrival. It is what the oldest unprocessed node found when it
// arrived, so it needs no search and can never be ahead of it.
func (q *DeltaFIFO[T]) Version() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	oldest := q.log.head
	for _, h := range q.open {
		if oldest == nil || h.first.seq < oldest.seq {
			oldest = h.first
		}
	}
	return q.versionBefore(oldest)
}

// versionAfter returns the version that is reached when h, and everything older
// than h, has been processed.
func (q *DeltaFIFO[T]) versionAfter(h *handout[T]) string {
	oldest := q.log.head
	for _, o := range q.open {
		if o.first.seq > h.first.seq && (oldest == nil || o.first.seq < oldest.seq) {
			oldest = o.first
		}
	}
	return q.versionBefore(oldest)
}

func (q *DeltaFIFO[T]) versionBefore(oldest *node[T]) string {
	if oldest == nil {
		return q.newest
	}
	return oldest.before
}

// Bookmark tells that there is nothing between the last event and version. It
// is a marker in the order of arrival: it overtakes nothing. After Close it
// does nothing.
func (q *DeltaFIFO[T]) Bookmark(version string) { _ = q.bookmark(version) }

func (q *DeltaFIFO[T]) bookmark(version string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.pass(version)
	return nil
}

// pass files the version of an event that has produced no delta. Without it,
// who waits for that version would wait for an event to come after it.
// Bookmarks that follow each other are one, so that a consumer who stands
// still costs no memory for them; they are neighbours only if nothing has been
// filed in between, even if it was handed out since: behind one Pop that is
// stuck while others go on, they add up.
func (q *DeltaFIFO[T]) pass(version string) {
	if version == "" || version == q.newest {
		return
	}
	if t := q.log.tail; t != nil && t.marker == Bookmark && t.seq == q.seq {
		t.version = version
	} else {
		q.mark(Bookmark, version, false)
	}
	q.newest = version
}

// mark files a marker.
func (q *DeltaFIFO[T]) mark(kind MarkerKind, version string, relist bool) {
	n := q.nodes.get()
	n.marker, n.version, n.relist = kind, version, relist
	q.arrive(n)
}

// advance notes the version of what has just been filed.
func (q *DeltaFIFO[T]) advance(version string) {
	if version != "" {
		q.newest = version
	}
}

// passMarkers consumes the markers before which nothing is left to process.
func (q *DeltaFIFO[T]) passMarkers() {
	for n := q.log.head; n != nil && n.state == nil && !q.olderOpen(n.seq); n = q.log.head {
		q.log.remove(n)
		q.passed(n)
		q.discard(n)
	}
}

// passed does what the passing of a marker means.
func (q *DeltaFIFO[T]) passed(n *node[T]) {
	if n.seq == q.firstEnd {
		close(q.synced)
	}
}

// olderOpen reports whether something that arrived before seq is being
// processed.
func (q *DeltaFIFO[T]) olderOpen(seq uint64) bool {
	for _, h := range q.open {
		if h.first.seq < seq {
			return true
		}
	}
	return false
}

// HasSynced reports whether the first Replace has been processed, all of it,
// which it is when the process functions have returned, with or without error. A
// queue that has seen no Replace is not synced, whatever else was written,
// unless NoInitialList was called.
func (q *DeltaFIFO[T]) HasSynced() bool {
	select {
	case <-q.synced:
		return true
	default:
		return false
	}
}

// Synced returns a channel that is closed when HasSynced becomes true.
func (q *DeltaFIFO[T]) Synced() <-chan struct{} { return q.synced }

// NoInitialList says that single events come first, and no Replace is to be
// waited for: the queue is synced from now on, and what comes from now on is in
// no initial list. After the first Replace it does nothing.
func (q *DeltaFIFO[T]) NoInitialList() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.firstEnd != 0 {
		return
	}
	q.seq++ // no node has this number, so none closes synced again
	q.firstEnd = q.seq
	close(q.synced)
}

// Settle consumes the markers before which nothing is left to process, as Pop
// does when it begins. A Replace that has given no deltas counts as processed
// after it, though nobody has come to Pop. PopBatch will not hand them out.
func (q *DeltaFIFO[T]) Settle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.passMarkers()
}

// initial reports whether what arrived as seq was there before the sync.
func (q *DeltaFIFO[T]) initial(seq uint64) bool {
	return q.firstEnd == 0 || seq <= q.firstEnd
}
