package main_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	nodes "github.com/thinformer/thinformer/interop/testdata/constructs/factory-informerfor-tests"
)

func TestNodesFromOutside(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	synced := factory.InformerFor(&corev1.Node{}, nodes.NewNodes).HasSynced
	factory.Start(t.Context().Done())
	if !cache.WaitForCacheSync(t.Context().Done(), synced) {
		t.Fatal("the informer has not synced")
	}
}
