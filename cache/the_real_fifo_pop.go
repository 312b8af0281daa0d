// The work is done by this file.

package cache

import "time"

// batchSize is the maximum number of deltas in a batch.
const batchSize = 1000

// Pop waits for a delta and for the end of the processing of the previous one,
// and calls process with Deltas of this delta. It returns the Deltas and the
// error of process. On an error, the delta is not queued again.
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
// different objects, or processSingle with Deltas of one delta, if the next
// delta changes the same object or if the delta does not concern a single
// object (ReplacedAll, SyncAll, Bookmark). A batch does not mix items of the
// initial list with later ones. If processBatch is nil, each delta is processed
// individually. The called function may keep the deltas.
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

// process removes up to size deltas and calls process with them.
func (f *RealFIFO) process(size int, process ProcessBatchFunc) error {
	deltas, isInInitialList, err := f.next(size)
	if err != nil {
		return err
	}
	began := time.Now()
	defer func() {
		f.metrics.observeLatency(time.Since(began))
		f.finish()
	}()
	f.updateMetrics()
	return process(deltas, isInInitialList)
}

// next waits for items and removes them from the queue.
func (f *RealFIFO) next(size int) (deltas []Delta, isInInitialList bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.processing || f.backlog.len() == 0 {
		if f.closed && f.backlog.len() == 0 {
			return nil, false, ErrFIFOClosed
		}
		f.changed.Wait()
	}
	isInInitialList = !f.initial.done()
	if f.initial.remaining > 0 {
		size = min(size, f.initial.remaining)
	}
	batch := f.batchOf(f.backlog.queue(), size)
	if f.initial.remaining > 0 {
		f.initialInBatch = len(batch)
	}
	deltas = make([]Delta, len(batch))
	for i, item := range batch {
		deltas[i] = item.Delta
	}
	f.processingItems = append(f.processingItems, batch...)
	f.backlog.removeOldest(len(batch))
	f.processing = true
	f.changed.Broadcast()
	return deltas, isInInitialList, nil
}

// batchOf returns the longest prefix of queue that may be processed at a time.
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
	f.processing = false
	f.initial.processed(f.initialInBatch)
	f.initialInBatch = 0
	clear(f.processingItems)
	f.processingItems = f.processingItems[:0]
	f.changed.Broadcast()
}
