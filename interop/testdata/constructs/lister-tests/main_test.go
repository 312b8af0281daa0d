package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func TestRunning(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	if err := indexer.Add(pod); err != nil {
		t.Fatal(err)
	}
	counter := Counter{Lister: corelisters.NewPodLister(indexer), Synced: func() bool { return true }}
	if n, err := counter.Running(); n != 1 || err != nil {
		t.Fatal(n, err)
	}
}
