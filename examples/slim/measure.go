package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// fillTimeout is the timeout of filling a cache.
const fillTimeout = 2 * time.Minute

var podInfo = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Kind:                 "Pod",
	Namespaced:           true,
}

// cacheSize is the memory of a cache and its number of objects.
type cacheSize struct {
	heap    int64
	objects int
}

// measure fills a cache with all pods as values of T, and measures the growth of the heap.
// It measures twice and returns the second result: the first includes one-time costs of
// T, such as its decoder.
func measure[T rest.Object](ctx context.Context, client *rest.Client) (w cacheSize, err error) {
	for range 2 {
		if w, err = fill[T](ctx, client); err != nil {
			return w, err
		}
	}
	return w, nil
}

func fill[T rest.Object](ctx context.Context, client *rest.Client) (w cacheSize, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, fillTimeout, fmt.Errorf("the cache is not filled after %v", fillTimeout))
	before := liveHeap()
	pods := informer.New(rest.NewView[T](client, podInfo), informer.Options[T]{})
	ended := make(chan error, 1)
	go func() { ended <- pods.Run(ctx) }()
	if err = pods.WaitForSync(ctx); err == nil {
		w = cacheSize{heap: liveHeap() - before, objects: pods.State().Objects}
	}
	stop()
	return w, errors.Join(err, <-ended)
}

// liveHeap returns the size of the live heap. It collects garbage twice, as pools are
// emptied by the second collection.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
