package informer

import (
	"log/slog"
	"sync"

	"github.com/thinformer/thinformer/indexer"
)

// processor tells the handlers: each has a queue of its own.
type processor[T any] struct {
	mu               sync.Mutex
	listeners        []*listener[T]
	snapshot         *indexer.Snapshot[T]
	isSynced         bool
	started, stopped bool
	wg               sync.WaitGroup
}

type listener[T any] struct {
	mu     sync.Mutex
	cond   *sync.Cond
	queue  []notification[T]
	h      ResourceEventHandler[T]
	closed bool
	r      *Registration
}

// Registration is the place of a handler at an informer.
type Registration struct {
	synced, done chan struct{}
	remove       func()
}

// Synced is closed when the handler has returned from the initial list.
func (r *Registration) Synced() <-chan struct{} { return r.synced }

// Done is closed when no callback runs and none will.
func (r *Registration) Done() <-chan struct{} { return r.done }

// Remove ends the telling.
func (r *Registration) Remove() { r.remove() }

func newProcessor[T any](name string, logger *slog.Logger, trace *Trace) *processor[T] {
	return &processor[T]{}
}

func (p *processor[T]) distribute(batch []notification[T], snapshot indexer.Snapshot[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.snapshot = &snapshot
	for _, n := range batch {
		p.isSynced = p.isSynced || n.kind == synced
	}
	for _, l := range p.listeners {
		l.put(batch...)
	}
}

func (l *listener[T]) put(batch ...notification[T]) {
	l.mu.Lock()
	l.queue = append(l.queue, batch...)
	l.mu.Unlock()
	l.cond.Signal()
}

func (l *listener[T]) run() {
	defer close(l.r.done)
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && !l.closed {
			l.cond.Wait()
		}
		if l.closed {
			l.mu.Unlock()
			return
		}
		n := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		switch n.kind {
		case added:
			l.h.OnAdd(n.new, n.initial)
		case updated:
			l.h.OnUpdate(n.old, n.new)
		case deleted:
			l.h.OnDelete(n.old, n.finalStateUnknown)
		case synced:
			close(l.r.synced)
		}
	}
}

func (p *processor[T]) add(h ResourceEventHandler[T], o HandlerOptions) (*Registration, error) {
	if h == nil {
		return nil, ErrNoHandler
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil, ErrStopped
	}
	l := &listener[T]{h: h, r: &Registration{synced: make(chan struct{}), done: make(chan struct{})}}
	l.cond = sync.NewCond(&l.mu)
	l.r.remove = func() {
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
		l.cond.Signal()
	}
	if p.snapshot != nil {
		for o := range p.snapshot.All() {
			l.put(notification[T]{kind: added, initial: true, new: o})
		}
	}
	if p.isSynced {
		l.put(notification[T]{kind: synced})
	}
	p.listeners = append(p.listeners, l)
	if p.started {
		p.wg.Go(l.run)
	}
	return l.r, nil
}

func (p *processor[T]) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started = true
	for _, l := range p.listeners {
		p.wg.Go(l.run)
	}
}

func (p *processor[T]) stop() error {
	p.mu.Lock()
	p.stopped = true
	for _, l := range p.listeners {
		l.r.remove()
	}
	p.mu.Unlock()
	p.wg.Wait()
	return nil
}

func (p *processor[T]) states() []HandlerState { return nil }
