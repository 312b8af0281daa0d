package informer

import (
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/indexer"
)

// The processor writes down what happens, once, and has a listener for each
// handler that reads it. It never waits for one.
//
// A listener stands in one of three ways to the log: it reads it, it is asleep
// at its end, or notifications are merged for it and it does not hold the log.
type processor[T any] struct {
	name   string
	parts  Parts[T]
	logger *slog.Logger
	trace  *Trace
	// traced: somebody wants to know of callbacks.
	traced bool

	// shown is listeners, for those who only look.
	shown atomic.Pointer[[]*listener[T]]

	mu  sync.Mutex
	log notificationLog[T]
	// snapshot is the store at the end of the log, if there has been a batch.
	snapshot indexer.Snapshot[T]
	begun    bool
	// synced: the log has the end of the initial list, which is at initialEnd.
	// Until then initialEnd is the end of the log.
	synced     bool
	initialEnd uint64
	// listeners are those of the handlers that have not been removed, in the
	// order in which these were added. The slice is replaced, not changed.
	listeners []*listener[T]
	// leaving are the others whose goroutine has not ended.
	leaving map[*listener[T]]struct{}
	// asleep and folding count listeners.
	asleep, folding  int
	added            int
	started, stopped bool

	// woken and foldedAway are scratch of distribute.
	woken      []*listener[T]
	foldedAway []TraceInfo
}

func newProcessor[T any](name string, parts Parts[T], logger *slog.Logger, trace *Trace) *processor[T] {
	if logger == nil {
		logger = slog.Default()
	}
	if trace == nil {
		trace = &Trace{}
	}
	p := &processor[T]{
		name: name, parts: parts, logger: logger, trace: trace,
		traced:  trace.Called != nil || trace.Returned != nil,
		leaving: map[*listener[T]]struct{}{},
	}
	p.log.init()
	p.shown.Store(&[]*listener[T]{}) // not &p.listeners, which changes
	return p
}

// distribute tells the handlers of a batch, after which the store is as the
// snapshot. One goroutine calls it. The batch is the caller's again afterwards.
func (p *processor[T]) distribute(batch []notification[T], snapshot indexer.Snapshot[T]) {
	p.mu.Lock()
	if p.stopped {
		p.mu.Unlock()
		return
	}
	p.snapshot, p.begun = snapshot, true
	p.fold(batch)
	if p.folding == len(p.listeners) {
		p.log.forget(false)
		p.log.skip(len(batch))
	} else {
		p.log.append(batch)
	}
	p.countInitial(batch)
	p.wake()
	p.mu.Unlock()

	for _, l := range p.woken {
		l.awaken()
	}
	clear(p.woken)
	for _, info := range p.foldedAway {
		p.trace.Merged(info)
	}
	clear(p.foldedAway)
	p.woken, p.foldedAway = p.woken[:0], p.foldedAway[:0]
}

// fold merges the batch for those that are behind. One that was not before has
// what waits for it merged as well.
func (p *processor[T]) fold(batch []notification[T]) {
	end := p.log.end.Load()
	for _, l := range p.listeners {
		if !l.folding {
			if l.options.MaxPending < 0 || end-min(end, max(l.at.Load(), p.initialEnd)) <= uint64(l.options.MaxPending) {
				continue
			}
			p.startFolding(l)
		}
		l.mu.Lock()
		p.foldInto(l, batch)
		l.mu.Unlock()
	}
}

func (p *processor[T]) startFolding(l *listener[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for run := l.cursor.take(maxChunk); len(run) > 0; run = l.cursor.take(maxChunk) {
		p.foldInto(l, run)
	}
	l.leaveLog()
	p.folding++
}

// foldInto needs both locks.
func (p *processor[T]) foldInto(l *listener[T], run []notification[T]) {
	before, total := l.pending.len(), 0
	for i := range run {
		if p.trace.Merged != nil {
			total += p.foldTraced(l, &run[i])
			continue
		}
		total += l.pending.fold(&run[i])
	}
	l.kept.Add(int64(l.pending.len() - before))
	l.merged.Add(uint64(total))
}

// foldTraced folds n and notes what will not be told by itself: what waited for
// the key, and n too if nothing is left.
func (p *processor[T]) foldTraced(l *listener[T], n *notification[T]) (merged int) {
	waits, _ := l.pending.newest(n.key)
	merged = l.pending.fold(n)
	if merged > 0 {
		p.foldedAway = append(p.foldedAway, p.info(&waits, l))
	}
	if merged > 1 {
		p.foldedAway = append(p.foldedAway, p.info(n, l))
	}
	return merged
}

// countInitial finds the end of the initial list, which is that of a batch.
func (p *processor[T]) countInitial(batch []notification[T]) {
	if !p.synced && len(batch) > 0 {
		p.initialEnd = p.log.end.Load()
		p.synced = batch[len(batch)-1].kind == synced
	}
}

// wake collects whom there is something for.
func (p *processor[T]) wake() {
	end := p.log.end.Load()
	if p.asleep == 0 {
		return
	}
	for _, l := range p.listeners {
		if l.asleep.Load() && l.at.Load() < end {
			p.setAsleep(l, false)
			p.woken = append(p.woken, l)
		}
	}
}

func (p *processor[T]) setAsleep(l *listener[T], asleep bool) {
	l.asleep.Store(asleep)
	if asleep {
		p.asleep++
	} else {
		p.asleep--
	}
}

// settle puts l to sleep and returns true, unless there is something for it to
// do. A listener that has been told all that was merged for it reads the log
// again, from its end.
func (p *processor[T]) settle(l *listener[T]) (asleep bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over.Load() {
		return false
	}
	if l.folding {
		if l.pending.len() > 0 {
			return false
		}
		l.folding, l.pending = false, pending[T]{}
		l.kept.Store(0)
		l.cursor = p.log.atEnd()
		l.at.Store(l.cursor.at)
		p.folding--
		return false
	}
	if l.cursor.at < p.log.end.Load() || l.resync != nil {
		return false
	}
	p.setAsleep(l, true)
	p.forget()
	return true
}

// rouse: l has ended its pause by itself.
func (p *processor[T]) rouse(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.asleep.Load() {
		p.setAsleep(l, false)
	}
}

// forget lets go of what is in the log when nobody is going to read it.
func (p *processor[T]) forget() {
	if !p.stopped && p.asleep+p.folding == len(p.listeners) {
		p.log.forget(p.folding == 0 && len(p.leaving) == 0)
	}
}

// planResync notes the present place for l to resync at, unless it has one. It
// waits until l does not have notifications merged, since those stand for no
// place.
func (p *processor[T]) planResync(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.begun && !l.over.Load() && !l.folding && l.resync == nil {
		l.resync = &resync[T]{at: p.log.end.Load(), objects: p.snapshot}
	}
}

// add registers a handler. What is in the store it is told first.
func (p *processor[T]) add(h ResourceEventHandler[T], o HandlerOptions) (*Registration, error) {
	if err := wrongWithHandler(h); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil, ErrStopped
	}
	p.added++
	l := &listener[T]{
		processor: p, handler: h, options: o.withDefaults(h, p.added),
		wake: make(chan struct{}, 1), synced: make(chan struct{}), done: make(chan struct{}),
		cursor: p.log.atEnd(),
	}
	l.name = l.options.Name
	l.at.Store(l.cursor.at)
	if p.begun {
		start := p.snapshot
		l.start, l.syncedAfterStart = &start, p.synced
		l.ahead.Store(int64(start.Len()))
	}
	p.setListeners(append(slices.Clone(p.listeners), l))
	if p.started {
		p.launch(l)
	}
	return newRegistration(l), nil
}

func (p *processor[T]) setListeners(listeners []*listener[T]) {
	p.listeners = listeners
	p.shown.Store(&listeners)
}

// start begins the handlers' goroutines.
func (p *processor[T]) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started || p.stopped {
		return
	}
	p.started = true
	for _, l := range p.listeners {
		p.launch(l)
	}
}

func (p *processor[T]) launch(l *listener[T]) {
	l.running = true
	go l.run()
}

// remove sees to it that l is told nothing more.
func (p *processor[T]) remove(l *listener[T]) {
	if !l.over.Swap(true) {
		p.takeOut(l)
	}
}

// takeOut forgets l, whose goroutine may have ended: it has been told that it is
// over.
func (p *processor[T]) takeOut(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return // close has seen to it
	}
	defer l.awaken()
	if l.asleep.Load() {
		p.setAsleep(l, false)
	}
	if l.folding {
		p.folding--
	}
	l.void()
	p.setListeners(slices.DeleteFunc(slices.Clone(p.listeners), func(other *listener[T]) bool { return other == l }))
	switch {
	case l.ended:
	case l.running:
		p.leaving[l] = struct{}{}
	default:
		p.end(l)
	}
	p.forget()
}

// ended: the goroutine of l has nothing more to do.
func (p *processor[T]) ended(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.leaving, l)
	p.end(l)
}

// end closes done. Whoever keeps the registration keeps nothing of what was to
// be told.
func (p *processor[T]) end(l *listener[T]) {
	if l.ended {
		return
	}
	l.ended, l.own = true, own[T]{}
	l.ahead.Store(0)
	close(l.done)
}

// stop lets no callback begin any more, and waits for those that run. The
// error, a *StopError, names the handlers that took too long.
func (p *processor[T]) stop() error {
	var late []string
	began := time.Now()
	for _, l := range p.close() {
		if !l.endsUntil(began) {
			late = append(late, l.name)
		}
	}
	if len(late) > 0 {
		return &StopError{Handlers: late}
	}
	return nil
}

// close ends the listeners, and returns those that may still be at work.
func (p *processor[T]) close() (working []*listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	working = slices.Clone(p.listeners)
	for l := range p.leaving {
		working = append(working, l)
	}
	for _, l := range working {
		l.over.Store(true)
		l.void()
		l.awaken()
		if !l.running {
			p.end(l)
		}
	}
	p.snapshot, p.log.tail = indexer.Snapshot[T]{}, nil
	return working
}

// states are how the handlers fare, in the order in which they were added.
func (p *processor[T]) states() []HandlerState {
	listeners := *p.shown.Load()
	states := make([]HandlerState, len(listeners))
	end := p.log.end.Load()
	for i, l := range listeners {
		states[i] = l.state(end)
	}
	return states
}
