package informer

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// process is the parameter of Pop.
type process = func(key string, deltas []stack.Delta, initial bool) error

// observed is a queue that calls after when process has returned.
type observed struct {
	stack.Queue
	after func(key string, deltas []stack.Delta)
}

func (q *observed) Pop(ctx context.Context, process process) error {
	return q.Queue.Pop(ctx, func(key string, deltas []stack.Delta, initial bool) error {
		err := process(key, deltas, initial)
		q.after(key, deltas)
		return err
	})
}

// delivery is what one Pop passes to process.
type delivery struct {
	key     string
	deltas  []stack.Delta
	initial bool
}

// prepared is a queue that first delivers what is given: the queue of step 7 does not
// deliver every combination that an informer has to process.
type prepared struct {
	stack.Queue
	deliveries []delivery
}

func delivering(deliveries ...delivery) func(stack.Queue) stack.Queue {
	return func(q stack.Queue) stack.Queue { return &prepared{q, deliveries} }
}

func (q *prepared) Pop(ctx context.Context, process process) error {
	if len(q.deliveries) == 0 {
		return q.Queue.Pop(ctx, process)
	}
	next := q.deliveries[0]
	q.deliveries = q.deliveries[1:]
	return process(next.key, next.deltas, next.initial)
}

// failing is a queue whose first calls of Pop return errors.
type failing struct {
	stack.Queue
	errors []error
	// closed counts the calls that return stack.ErrClosed.
	closed atomic.Int32
}

func (q *failing) Pop(ctx context.Context, process process) error {
	if len(q.errors) > 0 {
		err := q.errors[0]
		q.errors = q.errors[1:]
		return err
	}
	if q.closed.Load() > 1 {
		<-ctx.Done() // ends a loop that would have no end
		return ctx.Err()
	}
	err := q.Queue.Pop(ctx, process)
	if errors.Is(err, stack.ErrClosed) {
		q.closed.Add(1)
	}
	return err
}

func checkPopError(t *judge.T, parts stack.Parts) {
	failure := errors.New("one change cannot be processed")
	other := fmt.Errorf("read a file: %w", context.DeadlineExceeded)
	queue := &failing{errors: []error{failure, failure, other, failure, context.Canceled}}
	i := newInformer(t, parts, func(q stack.Queue) stack.Queue { queue.Queue = q; return queue }, nil)
	r := i.handle(newRecorder())
	cancel := i.run(untilDone)
	i.replace()
	settle()
	_ = i.queue.Add(object("a", "1"))
	pass(time.Minute)
	if i.ended.Load() {
		t.Fatalf("Pop returns an error, and Run returns %v; want the next Pop, because the context of Run has not ended", i.err)
	}
	if r.received() == "nothing" {
		t.Fatalf("five Pops return an error while the context of Run has not ended, and Add a@1 is not processed: the loop must go on after an error")
	}
	i.received(r, "an error of five Pops and Add a@1", "add a@1")
	i.queue.Close()
	settle()
	if queue.closed.Load() > 1 {
		t.Fatalf("Pop is called again after it has returned stack.ErrClosed: a closed queue remains closed, so the loop must end")
	}
	i.stop(cancel)
}
