// Commands wait for a condition of one object.
package main

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

func main() {
	ctx, cancel := watchtools.ContextWithOptionalTimeout(context.Background(), time.Minute)
	defer cancel()
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	selector := fields.OneTermEqualSelector("metadata.name", "web").String()
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			opts.FieldSelector = selector
			return client.CoreV1().Pods("shop").List(ctx, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			opts.FieldSelector = selector
			return client.CoreV1().Pods("shop").Watch(ctx, opts)
		},
	}
	precondition := func(store cache.Store) (bool, error) {
		_, exists, err := store.GetByKey("shop/web")
		return !exists, err
	}
	if _, err := watchtools.UntilWithSync(ctx, source, &corev1.Pod{}, precondition, running); err != nil {
		panic(err)
	}
	if _, err := watchtools.Until(ctx, "1", source, running); err != nil && !errors.Is(err, watchtools.ErrWatchClosed) {
		panic(err)
	}
}

func running(event watch.Event) (bool, error) {
	pod, ok := event.Object.(*corev1.Pod)
	return ok && pod.Status.Phase == corev1.PodRunning, nil
}
