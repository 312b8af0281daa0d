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

// patience is how long a cache may take to fill.
const patience = 2 * time.Minute

var podInfo = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Kind:                 "Pod",
	Namespaced:           true,
}

// weight is how much memory a cache takes, of how many objects.
type weight struct {
	heap    int64
	objects int
}

// weigh fills a cache with all pods as values of T, and says how much larger the
// heap is for it. All else that this process has stays as it is meanwhile. It is
// done twice, and the second time counts: the first pays for what T costs once,
// such as its decoder.
func weigh[T rest.Object](ctx context.Context, client *rest.Client) (w weight, err error) {
	for range 2 {
		if w, err = fill[T](ctx, client); err != nil {
			return w, err
		}
	}
	return w, nil
}

func fill[T rest.Object](ctx context.Context, client *rest.Client) (w weight, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the cache is not filled after %v", patience))
	before := live()
	pods := informer.New(rest.NewView[T](client, podInfo), informer.Options[T]{})
	ended := make(chan error, 1)
	go func() { ended <- pods.Run(ctx) }()
	if err = pods.WaitForSync(ctx); err == nil {
		w = weight{heap: live() - before, objects: pods.State().Objects}
	}
	stop()
	return w, errors.Join(err, <-ended)
}

// live is the heap that is in use, once what is not has been collected: twice,
// for what is in pools goes the second time.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
