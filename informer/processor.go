package informer

import (
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/indexer"
)

// A processor appends all notifications to one log, and has a listener for each
// handler that reads it. It never waits for a listener.
//
// A listener has one of three states: it reads the log, it is idle at the end of
// the log, or notifications are merged for it and it does not refer to the log.
type processor[T any] struct {
	name        string
	storeConfig StoreConfig[T]
	logger      *slog.Logger
	trace       *Trace
	// traceCallbacks: the trace has functions for callbacks.
	traceCallbacks bool

	// published has the listeners for readers without mu.
	published atomic.Pointer[[]*listener[T]]

	mu  sync.Mutex
	log notificationLog[T]
	// snapshot is the store at the end of the log, if hasSnapshot.
	snapshot    indexer.Snapshot[T]
	hasSnapshot bool
	// synced: the end of the initial list has been appended. initialEnd is its
	// position; until then it is the end of the log.
	synced     bool
	initialEnd uint64
	// mixed: before that end there are also changes that are not part of the initial
	// list, of namespaces that have had their list. They count towards MaxPending.
	mixed bool
	// listeners are those that have not been removed, in the order in which they
	// were added. The slice is replaced and never modified.
	listeners []*listener[T]
	// removing are removed listeners whose goroutine has not ended.
	removing map[*listener[T]]struct{}
	// idle and merging are numbers of listeners.
	idle, merging    int
	addedCount       int
	started, stopped bool

	// woken and mergedTraces are buffers of distribute.
	woken        []*listener[T]
	mergedTraces []TraceInfo
}

func newProcessor[T any](name string, config StoreConfig[T], logger *slog.Logger, trace *Trace) *processor[T] {
	if logger == nil {
		logger = slog.Default()
	}
	if trace == nil {
		trace = &Trace{}
	}
	p := &processor[T]{
		name: name, storeConfig: config, logger: logger, trace: trace,
		traceCallbacks: trace.Called != nil || trace.Returned != nil,
		removing:       map[*listener[T]]struct{}{},
	}
	p.log.init()
	p.published.Store(&[]*listener[T]{}) // not &p.listeners, which changes
	return p
}

// add registers a handler. The objects of the store are delivered first.
func (p *processor[T]) add(h ResourceEventHandler[T], o HandlerOptions) (*Registration, error) {
	if err := checkHandler(h); err != nil {
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
	p.addedCount++
	l := &listener[T]{
		processor: p, handler: h, options: o.withDefaults(h, p.addedCount),
		wake: make(chan struct{}, 1), synced: make(chan struct{}), done: make(chan struct{}),
		cursor: p.log.atEnd(),
	}
	l.name = l.options.Name
	l.position.Store(l.cursor.position)
	if p.hasSnapshot {
		start := p.snapshot
		l.initial, l.syncedAfterInitial = &start, p.synced
		l.snapshotPending.Store(int64(start.Len()))
	}
	p.setListeners(append(slices.Clone(p.listeners), l))
	if p.started {
		p.launch(l)
	}
	return newRegistration(l), nil
}

func (p *processor[T]) setListeners(listeners []*listener[T]) {
	p.listeners = listeners
	p.published.Store(&listeners)
}

// start starts the goroutines of the handlers.
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

// remove ensures that no further callback of l starts.
func (p *processor[T]) remove(l *listener[T]) {
	if !l.stopped.Swap(true) {
		p.unregister(l)
	}
}

// unregister removes l, which has been marked as stopped. Its goroutine may have
// ended already.
func (p *processor[T]) unregister(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return // close has done it
	}
	defer l.signal()
	if l.idle.Load() {
		p.setIdle(l, false)
	}
	if l.merging {
		p.merging--
	}
	l.dropPending()
	p.setListeners(slices.DeleteFunc(slices.Clone(p.listeners), func(other *listener[T]) bool { return other == l }))
	switch {
	case l.ended:
	case l.running:
		p.removing[l] = struct{}{}
	default:
		p.markDone(l)
	}
	p.releaseLog()
}

// listenerEnded records that the goroutine of l has ended.
func (p *processor[T]) listenerEnded(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.removing, l)
	p.markDone(l)
}

// markDone closes done. It drops the notifications, so that a Registration does not
// keep them in memory.
func (p *processor[T]) markDone(l *listener[T]) {
	if l.ended {
		return
	}
	l.ended, l.goroutineState = true, goroutineState[T]{}
	l.snapshotPending.Store(0)
	close(l.done)
}

// stop keeps further callbacks from starting, and waits for running callbacks. The
// error, a *StopError, names the handlers that have not returned in time.
func (p *processor[T]) stop() error {
	var blocked []string
	start := time.Now()
	for _, l := range p.close() {
		if !l.waitDone(start) {
			blocked = append(blocked, l.name)
		}
	}
	if len(blocked) > 0 {
		return &StopError{Handlers: blocked}
	}
	return nil
}

// close stops the listeners, and returns those that may still be running.
func (p *processor[T]) close() (running []*listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	running = slices.Clone(p.listeners)
	for l := range p.removing {
		running = append(running, l)
	}
	for _, l := range running {
		l.stopped.Store(true)
		l.dropPending()
		l.signal()
		if !l.running {
			p.markDone(l)
		}
	}
	p.snapshot, p.log.tail = indexer.Snapshot[T]{}, nil
	return running
}

// states returns the states of the handlers, in the order in which they were added.
func (p *processor[T]) states() []HandlerState {
	listeners := *p.published.Load()
	states := make([]HandlerState, len(listeners))
	end := p.log.end.Load()
	for i, l := range listeners {
		states[i] = l.state(end)
	}
	return states
}

// waitDone waits until l is done, for at most its StopTimeout after start. It
// reports whether l is done.
func (l *listener[T]) waitDone(start time.Time) bool {
	if l.options.StopTimeout == 0 {
		<-l.done
		return true
	}
	timer := time.NewTimer(time.Until(start.Add(l.options.StopTimeout)))
	defer timer.Stop()
	select {
	case <-l.done:
		return true
	case <-timer.C:
	}
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}
