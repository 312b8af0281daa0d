package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
)

func TestNodes(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	var nodes cache.SharedIndexInformer = factory.InformerFor(&corev1.Node{}, NewNodes)
	factory.Start(t.Context().Done())
	if !cache.WaitForCacheSync(t.Context().Done(), nodes.HasSynced) {
		t.Fatal("the informer has not synced")
	}
}
