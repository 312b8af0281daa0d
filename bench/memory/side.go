package memory

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// object is an object that both sides accept.
type object interface {
	metav1.Object
	runtime.Object
}

// script has the contents of a source: a list, and the updates that follow it.
type script[T object] struct {
	list []T
	// update returns the i-th update. updates is their number.
	update  func(i int) T
	updates int
	// ready is set if the updates exist before the measurement. A side may then prepare
	// them.
	ready bool
	// begin is closed when the updates are to be sent.
	begin chan struct{}
}

// informer is an informer of one side. It is running and has synced.
type informer[T object] interface {
	// Get returns the stored object with the key of like.
	Get(like T) T
	// Close stops the informer and waits for its end.
	Close()
}

// opener creates an informer with handlers that are called with the new object of each
// update. If merged is set, our side merges pending notifications by its default.
// Otherwise no side merges them; client-go never does.
type opener[T object] func(s *script[T], merged bool, handlers []func(T)) informer[T]

// running is the goroutine of an informer.
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

// Close stops the informer and waits for its end.
func (r *running) Close() {
	r.cancel()
	r.ended.Wait()
}

// stored waits until an informer has stored a version of an object. It polls, since
// client-go has no way to wait for a version.
func stored[T object](i informer[T], last T) {
	for i.Get(last).GetResourceVersion() != last.GetResourceVersion() {
		time.Sleep(200 * time.Microsecond)
	}
}
