package main_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	counting "github.com/thinformer/thinformer/interop/testdata/constructs/lister-tests"
)

func counterOf(t *testing.T, store cache.Indexer, pods ...*corev1.Pod) counting.Counter {
	for _, pod := range pods {
		if err := store.Add(pod); err != nil {
			t.Fatal(err)
		}
	}
	return counting.Counter{Lister: corelisters.NewPodLister(store)}
}

func TestPendingPodsDoNotRun(t *testing.T) {
	store := cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.Indexers{})
	counter := counterOf(t, store, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "new"}})
	if n, err := counter.Running(); n != 0 || err != nil {
		t.Fatal(n, err)
	}
}
