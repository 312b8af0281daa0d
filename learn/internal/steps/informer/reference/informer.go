// Package informer is the reference of step 9: the loop and the handlers of an informer.
package informer

import (
	"context"
	"errors"
	"sync"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

type informer struct {
	queue   stack.Queue
	indexer stack.Indexer

	// mu is held while a change reaches the indexer and the listeners, and while a
	// listener is added: the objects that a new listener finds and the changes that it
	// receives later have no gap and no overlap.
	mu        sync.Mutex
	changed   *sync.Cond // wakes the listeners
	listeners []*listener
	running   bool
	stopped   bool
	// goroutines are those of reflect and of the listeners.
	goroutines sync.WaitGroup
}

// A listener has the calls that wait for one handler. Their number has no limit: a slow
// handler must delay neither the loop nor the other handlers.
type listener struct {
	handler stack.Handler
	pending []func()
}

// NewInformer returns an informer that is not running.
func NewInformer(queue stack.Queue, indexer stack.Indexer) stack.Informer {
	i := &informer{queue: queue, indexer: indexer}
	i.changed = sync.NewCond(&i.mu)
	return i
}

func (i *informer) HasSynced() bool { return i.queue.HasSynced() }

func (i *informer) AddEventHandler(handler stack.Handler) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped {
		return
	}
	added := &listener{handler: handler}
	for _, object := range i.indexer.List() {
		added.pending = append(added.pending, func() { handler.OnAdd(object, true) })
	}
	i.listeners = append(i.listeners, added)
	if i.running {
		i.goroutines.Go(func() { i.deliver(added) })
	}
}

func (i *informer) Run(ctx context.Context, reflect func(context.Context) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	i.start()
	i.goroutines.Go(func() {
		defer cancel() // ends processLoop
		err = reflect(ctx)
	})
	i.processLoop(ctx)
	i.stop()
	i.goroutines.Wait()
	return err
}

func (i *informer) start() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.running = true
	for _, l := range i.listeners {
		i.goroutines.Go(func() { i.deliver(l) })
	}
}

func (i *informer) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
	i.changed.Broadcast()
}

// processLoop processes changes until ctx is done. The error of one change is no reason
// to stop.
func (i *informer) processLoop(ctx context.Context) {
	for err := error(nil); ctx.Err() == nil && !errors.Is(err, stack.ErrClosed); {
		err = i.queue.Pop(ctx, i.handleDeltas)
	}
}

// handleDeltas applies the changes of a key. Whether a handler receives an addition or an
// update depends on what the indexer has, not on the type of the change.
func (i *informer) handleDeltas(key string, deltas []stack.Delta, initial bool) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, delta := range deltas {
		old, found := i.indexer.Get(key)
		object, isDelete := delta.Object, delta.Type == deltafifo.Deleted
		if isDelete {
			i.indexer.Apply(nil, []string{key})
		} else {
			i.indexer.Apply([]stack.Object{object}, nil)
		}
		switch {
		case isDelete && found:
			i.distribute(func(h stack.Handler) { h.OnDelete(object, delta.FinalStateUnknown) })
		case !isDelete && found:
			i.distribute(func(h stack.Handler) { h.OnUpdate(old, object) })
		case !isDelete:
			i.distribute(func(h stack.Handler) { h.OnAdd(object, initial) })
		}
	}
	return nil
}

// distribute adds a call to each listener.
func (i *informer) distribute(call func(stack.Handler)) {
	for _, l := range i.listeners {
		l.pending = append(l.pending, func() { call(l.handler) })
	}
	i.changed.Broadcast()
}

// deliver makes the calls of a listener one after another, without the lock.
func (i *informer) deliver(l *listener) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for !i.stopped {
		if len(l.pending) == 0 {
			i.changed.Wait()
			continue
		}
		call := l.pending[0]
		l.pending = l.pending[1:]
		i.mu.Unlock()
		call()
		i.mu.Lock()
	}
}
