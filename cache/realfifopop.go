package cache

import "time"

// batchSize is how many deltas are processed at a time at most.
const batchSize = 1000

// Pop waits for a delta, and for what was popped before to be processed, and
// calls process with Deltas of this one. It returns them, and what process
// returned: what was popped does not come back on an error.
func (f *RealFIFO) Pop(process PopProcessFunc) (any, error) {
	if process == nil {
		return nil, errNoProcess
	}
	var popped Deltas
	err := f.process(1, func(deltas []Delta, isInInitialList bool) error {
		popped = deltas
		return process(popped, isInInitialList)
	})
	if popped == nil {
		return nil, err
	}
	return popped, err
}

// PopBatch waits as Pop does. It calls processBatch with up to 1000 deltas of
// different objects, or processSingle with Deltas of one delta: one after which
// the same object comes again, or one that is of no single object (ReplacedAll,
// SyncAll, Bookmark). No batch has both what belongs to the initial list and what
// does not. Without a processBatch each delta is processed by itself. Deltas are
// the callee's to keep.
func (f *RealFIFO) PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error {
	if processSingle == nil {
		return errNoProcess
	}
	size := batchSize
	if processBatch == nil {
		size = 1
	}
	return f.process(size, func(deltas []Delta, isInInitialList bool) error {
		if len(deltas) == 1 {
			return processSingle(Deltas(deltas), isInInitialList)
		}
		return processBatch(deltas, isInInitialList)
	})
}

// process takes up to size deltas off the queue and calls f with them.
func (f *RealFIFO) process(size int, process ProcessBatchFunc) error {
	deltas, isInInitialList, err := f.next(size)
	if err != nil {
		return err
	}
	began := time.Now()
	defer func() {
		f.metrics.processed(time.Since(began))
		f.finish()
	}()
	f.tell()
	return process(deltas, isInInitialList)
}

// next waits for something to process and takes it off the queue.
func (f *RealFIFO) next(size int) (deltas []Delta, isInInitialList bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.busy || f.backlog.len() == 0 {
		if f.closed && f.backlog.len() == 0 {
			return nil, false, ErrFIFOClosed
		}
		f.changed.Wait()
	}
	isInInitialList = !f.initial.done()
	if f.initial.left > 0 {
		size = min(size, f.initial.left)
	}
	batch := f.batchOf(f.backlog.queue(), size)
	if f.initial.left > 0 {
		f.counted = len(batch)
	}
	deltas = make([]Delta, len(batch))
	for i, item := range batch {
		deltas[i] = item.Delta
	}
	f.working = append(f.working, batch...)
	f.backlog.drop(len(batch))
	f.busy = true
	f.changed.Broadcast()
	return deltas, isInInitialList, nil
}

// batchOf is the longest beginning of a queue that may be processed at a time.
func (f *RealFIFO) batchOf(queue []queuedDelta, size int) []queuedDelta {
	size = min(size, len(queue))
	if size == 1 {
		return queue[:1]
	}
	defer clear(f.batchKeys)
	for i, item := range queue[:size] {
		if _, twice := f.batchKeys[item.key]; twice || !item.ofOneObject() {
			return queue[:max(i, 1)]
		}
		f.batchKeys[item.key] = struct{}{}
	}
	return queue[:size]
}

func (q queuedDelta) ofOneObject() bool {
	switch q.Type {
	case Added, Updated, Deleted, Replaced, Sync:
		return true
	default:
		return false
	}
}

func (f *RealFIFO) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy = false
	f.initial.processed(f.counted)
	f.counted = 0
	clear(f.working)
	f.working = f.working[:0]
	f.changed.Broadcast()
}
