package informer

import "github.com/thinformer/thinformer/indexer"

// distribute notifies the handlers of a batch. snapshot is the store after it. Only
// one goroutine calls it. The caller may reuse the batch afterwards.
func (p *processor[T]) distribute(batch []notification[T], snapshot indexer.Snapshot[T]) {
	p.mu.Lock()
	if p.stopped {
		p.mu.Unlock()
		return
	}
	p.snapshot, p.hasSnapshot = snapshot, true
	p.merge(batch)
	if p.merging == len(p.listeners) {
		p.log.release(false)
		p.log.skip(len(batch))
	} else {
		p.log.append(batch)
	}
	p.updateInitialEnd(batch)
	p.wakeIdle()
	p.mu.Unlock()

	for _, l := range p.woken {
		l.signal()
	}
	clear(p.woken)
	for _, info := range p.mergedTraces {
		p.trace.Merged(info)
	}
	clear(p.mergedTraces)
	p.woken, p.mergedTraces = p.woken[:0], p.mergedTraces[:0]
}

// merge merges the batch for listeners that are behind. If a listener has just
// fallen behind, its waiting notifications are merged first.
func (p *processor[T]) merge(batch []notification[T]) {
	end := p.log.end.Load()
	for _, l := range p.listeners {
		if !l.merging {
			if l.options.MaxPending < 0 || end-min(end, max(l.position.Load(), p.initialEnd)) <= uint64(l.options.MaxPending) {
				continue
			}
			p.startMerging(l)
		}
		l.mu.Lock()
		p.mergeInto(l, batch)
		l.mu.Unlock()
	}
}

func (p *processor[T]) startMerging(l *listener[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for run := l.cursor.take(maxChunk); len(run) > 0; run = l.cursor.take(maxChunk) {
		p.mergeInto(l, run)
	}
	l.detach()
	p.merging++
}

// mergeInto merges run into the pending of l. It needs both locks.
func (p *processor[T]) mergeInto(l *listener[T], run []notification[T]) {
	before, total := l.pending.len(), 0
	for i := range run {
		if p.trace.Merged != nil {
			total += p.mergeTraced(l, &run[i])
			continue
		}
		total += l.pending.add(&run[i])
	}
	l.mergedPending.Add(int64(l.pending.len() - before))
	l.merged.Add(uint64(total))
}

// mergeTraced merges n and records the notifications that will not be delivered:
// the one that waited for the key, and also n if both cancel each other.
func (p *processor[T]) mergeTraced(l *listener[T], n *notification[T]) (merged int) {
	waiting, _ := l.pending.newest(n.key)
	merged = l.pending.add(n)
	if merged > 0 {
		p.mergedTraces = append(p.mergedTraces, p.traceInfo(&waiting, l.name))
	}
	if merged > 1 {
		p.mergedTraces = append(p.mergedTraces, p.traceInfo(n, l.name))
	}
	return merged
}

// updateInitialEnd records the end of the initial list, which is the end of a batch.
func (p *processor[T]) updateInitialEnd(batch []notification[T]) {
	if !p.synced && len(batch) > 0 && (!p.mixed || batch[0].initial || batch[0].kind == synced) {
		p.initialEnd = p.log.end.Load()
		p.synced = batch[len(batch)-1].kind == synced
	}
}

// wakeIdle collects the idle listeners that have new notifications.
func (p *processor[T]) wakeIdle() {
	end := p.log.end.Load()
	if p.idle == 0 {
		return
	}
	for _, l := range p.listeners {
		if l.idle.Load() && l.position.Load() < end {
			p.setIdle(l, false)
			p.woken = append(p.woken, l)
		}
	}
}

func (p *processor[T]) setIdle(l *listener[T], idle bool) {
	l.idle.Store(idle)
	if idle {
		p.idle++
	} else {
		p.idle--
	}
}

// tryIdle marks l as idle and returns true if it has nothing to do. If all
// notifications that were merged for l have been delivered, l continues with the
// log, from its end.
func (p *processor[T]) tryIdle(l *listener[T]) (idle bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped.Load() {
		return false
	}
	if l.merging {
		if l.pending.len() > 0 {
			return false
		}
		l.merging, l.pending = false, pending[T]{}
		l.mergedPending.Store(0)
		l.cursor = p.log.atEnd()
		l.position.Store(l.cursor.position)
		p.merging--
		return false
	}
	if l.cursor.position < p.log.end.Load() || l.resync != nil {
		return false
	}
	p.setIdle(l, true)
	p.releaseLog()
	return true
}

// wakeSelf marks l as not idle, after l has ended its wait itself.
func (p *processor[T]) wakeSelf(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.idle.Load() {
		p.setIdle(l, false)
	}
}

// releaseLog drops the entries of the log if no listener will read them.
func (p *processor[T]) releaseLog() {
	if !p.stopped && p.idle+p.merging == len(p.listeners) {
		p.log.release(p.merging == 0 && len(p.removing) == 0)
	}
}

// planResync records the current position and snapshot for a resync of l, unless
// it has one. While notifications are merged for l there is no position, and the
// resync waits.
func (p *processor[T]) planResync(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.hasSnapshot && !l.stopped.Load() && !l.merging && l.resync == nil {
		l.resync = &resync[T]{position: p.log.end.Load(), objects: p.snapshot}
	}
}
