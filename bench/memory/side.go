package memory

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// object is what both sides take.
type object interface {
	metav1.Object
	runtime.Object
}

// script is what a hand-made source has: a list, and the updates that follow
// when they are let go.
type script[T object] struct {
	list []T
	// update makes the i-th of so many.
	update  func(i int) T
	updates int
	// ready is whether the updates exist already, so that a side may lay them
	// out for itself before the time counts.
	ready bool
	// begin lets the updates go.
	begin chan struct{}
}

// informer is one side's, running and synced.
type informer[T object] interface {
	// Get what is stored.
	Get(like T) T
	// Close ends it, and waits for its end.
	Close()
}

// opener makes an informer with these handlers, of which each is called with
// the object of every update. If merged is set, our side does so by its default;
// otherwise it never does, as the other never does.
type opener[T object] func(s *script[T], merged bool, handlers []func(T)) informer[T]

// running is what both sides' informers need to end.
type running struct {
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

func run(body func(context.Context)) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{cancel: cancel}
	r.ended.Go(func() { body(ctx) })
	return r
}

// Close ends the informer.
func (r *running) Close() {
	r.cancel()
	r.ended.Wait()
}

// stored waits until an informer has stored a version of an object. It polls,
// since only one side could be waited on.
func stored[T object](i informer[T], last T) {
	for i.Get(last).GetResourceVersion() != last.GetResourceVersion() {
		time.Sleep(200 * time.Microsecond)
	}
}
