package main_test

import (
	"errors"
	"testing"

	"k8s.io/client-go/util/workqueue"

	work "github.com/thinformer/thinformer/interop/testdata/constructs/queue-tests"
)

// requeued is a rate limiter with a number of requeues of its own.
type requeued struct {
	workqueue.TypedRateLimiter[string]
	requeues int
}

func (r *requeued) NumRequeues(string) int { return r.requeues }

func TestFailuresAreCounted(t *testing.T) {
	limiter := &requeued{TypedRateLimiter: workqueue.NewTypedMaxOfRateLimiter[string](), requeues: 1}
	worker := &work.Worker{Queue: workqueue.NewTypedRateLimitingQueue[string](limiter)}
	worker.Queue.Add("shop/web")
	if !worker.Next(func(string) error { return errors.New("not yet") }) || worker.Queue.NumRequeues("shop/web") != 1 {
		t.Fatal("the key is not counted")
	}
	limiter.requeues = 2
	if worker.Queue.NumRequeues("shop/web") != 2 {
		t.Fatal("the queue has another rate limiter")
	}
}
