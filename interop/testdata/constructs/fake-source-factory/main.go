// A test's source beside a factory: the file has values of both.
package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
)

func main() {
	source := fcache.NewFakeControllerSource()
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	pods := factory.InformerFor(&corev1.Pod{}, func(_ kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		return cache.NewSharedIndexInformer(source, &corev1.Pod{}, resync, cache.Indexers{})
	})
	factory.Start(make(chan struct{}))
	pods.HasSynced()
}
