package interop_test

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/interop"
)

// A generated lister reads an indexer of this module.
func ExampleIndexer() {
	pods := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	if err := pods.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}}); err != nil {
		fmt.Println(err)
	}

	lister := corelisters.NewPodLister(interop.Indexer(pods))
	pod, err := lister.Pods("shop").Get("web-0")
	fmt.Println(pod.Name, err)
	_, err = lister.Pods("shop").Get("web-1")
	fmt.Println(err)
	// Output:
	// web-0 <nil>
	// pod "web-1" not found
}

// One typed indexer, read without types as well.
func ExampleIndexerOf() {
	pods := indexer.New(indexer.Options[*corev1.Pod]{})
	if err := pods.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}}); err != nil {
		fmt.Println(err)
	}

	list, err := corelisters.NewPodLister(interop.IndexerOf(pods)).List(labels.Everything())
	fmt.Println(len(list), err)
	// Output: 1 <nil>
}

// A typed informer reads with a generated client, which decodes.
func ExampleListWatch() {
	client := fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}})
	pods := informer.New(cache.ToTyped[*corev1.Pod](interop.ListWatch(client.CoreV1().Pods("shop"))), informer.Options[*corev1.Pod]{})

	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { _ = pods.Run(ctx) })
	if err := pods.WaitForSync(ctx); err != nil {
		fmt.Println(err)
	}
	for pod := range pods.All() {
		fmt.Println(pod.Name)
	}
	// Output: web-0
}
