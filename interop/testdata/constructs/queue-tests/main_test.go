package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func TestDeletedObjectsAreProcessed(t *testing.T) {
	worker := &Worker{Queue: workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.DefaultTypedControllerRateLimiter[string](), workqueue.TypedRateLimitingQueueConfig[string]{Name: "test"})}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	worker.Handler().OnDelete(cache.DeletedFinalStateUnknown{Key: "shop/web", Obj: pod})
	if worker.Queue.Len() != 1 {
		t.Fatal(worker.Queue.Len())
	}
}
