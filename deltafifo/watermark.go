package deltafifo

// Version returns the watermark: all changes of the source up to this version
// have been delivered and processed. It is "" until a version is known.
//
// A version is an opaque string that is never compared: the watermark follows
// the order of arrival. It is the version that was the newest when the oldest
// unprocessed node arrived, so it needs no search and is never ahead of that
// node.
func (q *DeltaFIFO[T]) Version() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	oldest := q.log.head
	for _, d := range q.processing {
		if oldest == nil || d.firstNode.seq < oldest.seq {
			oldest = d.firstNode
		}
	}
	return q.versionBefore(oldest)
}

// versionAfter returns the version that is reached when h, and everything older
// than h, has been processed.
func (q *DeltaFIFO[T]) versionAfter(d *delivery[T]) string {
	oldest := q.log.head
	for _, other := range q.processing {
		if other.firstNode.seq > d.firstNode.seq && (oldest == nil || other.firstNode.seq < oldest.seq) {
			oldest = other.firstNode
		}
	}
	return q.versionBefore(oldest)
}

func (q *DeltaFIFO[T]) versionBefore(oldest *node[T]) string {
	if oldest == nil {
		return q.newestVersion
	}
	return oldest.versionBefore
}

// Bookmark declares that there is no change between the last event and version.
// It is a marker in the order of arrival and overtakes nothing. After Close it
// does nothing.
func (q *DeltaFIFO[T]) Bookmark(version string) { _ = q.bookmark(version) }

func (q *DeltaFIFO[T]) bookmark(version string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.enqueueVersion(version)
	return nil
}

// enqueueVersion queues the version of an event that has produced no delta.
// Otherwise a caller that waits for that version would wait for the next event.
// Adjacent bookmarks are merged, so that they need no memory while the consumer
// is slow. They are adjacent only if nothing has been queued in between, even if
// it was delivered since: behind one Pop that blocks while others continue, they
// accumulate.
func (q *DeltaFIFO[T]) enqueueVersion(version string) {
	if version == "" || version == q.newestVersion {
		return
	}
	if tail := q.log.tail; tail != nil && tail.marker == Bookmark && tail.seq == q.seq {
		tail.version = version
	} else {
		q.enqueueMarker(Bookmark, version, false)
	}
	q.newestVersion = version
}

// enqueueMarker queues a marker.
func (q *DeltaFIFO[T]) enqueueMarker(kind MarkerKind, version string, relist bool) {
	n := q.nodes.get()
	n.marker, n.version, n.relist = kind, version, relist
	q.appendNode(n)
}

// setNewestVersion records the version of the delta that has just been queued.
func (q *DeltaFIFO[T]) setNewestVersion(version string) {
	if version != "" {
		q.newestVersion = version
	}
}

// consumeMarkers consumes the markers before which everything has been
// processed.
func (q *DeltaFIFO[T]) consumeMarkers() {
	for n := q.log.head; n != nil && n.state == nil && !q.olderInProgress(n.seq); n = q.log.head {
		q.log.remove(n)
		q.markerProcessed(n)
		q.recycle(n)
	}
}

// markerProcessed is called when a marker has been processed.
func (q *DeltaFIFO[T]) markerProcessed(n *node[T]) {
	if n.seq == q.firstReplaceEnd {
		close(q.synced)
	}
}

// olderInProgress reports whether anything that arrived before seq is being
// processed.
func (q *DeltaFIFO[T]) olderInProgress(seq uint64) bool {
	for _, d := range q.processing {
		if d.firstNode.seq < seq {
			return true
		}
	}
	return false
}

// HasSynced reports whether the first Replace has been processed completely: the
// process functions have returned, with or without an error. Without a Replace
// the queue is not synced, whatever else was written, unless SkipInitialList was
// called.
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

// inInitialList reports whether the node with number seq belongs to the first
// Replace or arrived before it.
func (q *DeltaFIFO[T]) inInitialList(seq uint64) bool {
	return q.firstReplaceEnd == 0 || seq <= q.firstReplaceEnd
}
