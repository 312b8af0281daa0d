package informer

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// informer is an informer under test with the queue and the indexer of the reference.
type informer struct {
	stack.Informer
	t       *judge.T
	queue   stack.Queue
	indexer stack.Indexer

	ended atomic.Bool // Run has returned err
	err   error
}

// newInformer creates an informer. queueOf and indexerOf wrap its parts; nil for neither.
func newInformer(t *judge.T, parts stack.Parts, queueOf func(stack.Queue) stack.Queue, indexerOf func(stack.Indexer) stack.Indexer) *informer {
	indexer := parts.NewIndexer()
	if indexerOf != nil {
		indexer = indexerOf(indexer)
	}
	queue := parts.NewQueue(indexer)
	wrapped := queue
	if queueOf != nil {
		wrapped = queueOf(queue)
	}
	i := parts.NewInformer(wrapped, indexer)
	if i == nil {
		t.Fatalf("NewInformer returns nil")
	}
	return &informer{Informer: i, t: t, queue: queue, indexer: indexer}
}

func untilDone(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }

// run calls Run in a goroutine.
func (i *informer) run(reflect func(context.Context) error) (cancel func()) {
	ctx, cancel := context.WithCancel(i.t.Context())
	i.t.Go("Run", func() {
		i.err = i.Run(ctx, reflect)
		i.ended.Store(true)
	})
	settle()
	return cancel
}

// stop ends the informer, and fails if Run does not return.
func (i *informer) stop(cancel func()) {
	cancel()
	pass(time.Hour)
	if !i.ended.Load() {
		i.t.Fatalf("Run does not return after its context has ended")
	}
}

// handle adds a recorder.
func (i *informer) handle(r *recorder) *recorder {
	i.t.Unblocked("AddEventHandler", func() { i.AddEventHandler(r) })
	return r
}

// replace is a Replace of the reflector.
func (i *informer) replace(objects ...stack.Object) {
	items := func(yield func(stack.Object, error) bool) {
		for _, object := range objects {
			if !yield(object, nil) {
				return
			}
		}
	}
	_ = i.queue.Replace(items, func() string { return "100" })
}

// received fails unless the handler has received these calls.
func (i *informer) received(r *recorder, after, want string) {
	settle()
	if got := r.received(); got != want {
		i.t.Fatalf("after %s, a handler has received\n%s\nwant %s", after, got, want)
	}
}
