package interop_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	clientcache "k8s.io/client-go/tools/cache"

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

// A generated factory uses an informer of this module for its informers and listers.
func ExampleNewSharedIndexInformer() {
	client := fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}})
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.InformerFor(&corev1.Pod{}, func(client kubernetes.Interface, resync time.Duration) clientcache.SharedIndexInformer {
		return interop.NewSharedIndexInformer(interop.ListWatch(client.CoreV1().Pods("")), &corev1.Pod{}, resync,
			clientcache.Indexers{clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc})
	})
	lister := factory.Core().V1().Pods().Lister()

	ctx, cancel := context.WithCancel(context.Background())
	defer factory.Shutdown()
	defer cancel()
	factory.StartWithContext(ctx)
	if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		fmt.Println(err)
	}
	pod, err := lister.Pods("shop").Get("web-0")
	fmt.Println(pod.Name, err)
	// Output: web-0 <nil>
}

// A typed informer reads with a generated client, which decodes the objects.
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

// Code that expects client-go's informer uses the same informer as typed code.
func ExampleInformerOf() {
	client := fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}})
	typed := informer.New(cache.ToTyped[*corev1.Pod](interop.ListWatch(client.CoreV1().Pods("shop"))), informer.Options[*corev1.Pod]{})
	legacy := func(inf clientcache.SharedIndexInformer, stop <-chan struct{}) {
		handle, err := inf.AddEventHandler(clientcache.ResourceEventHandlerFuncs{
			AddFunc: func(obj any) { fmt.Println("add", obj.(*corev1.Pod).Name) },
		})
		fmt.Println(err, clientcache.WaitForCacheSync(stop, handle.HasSynced))
	}

	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { _ = typed.Run(ctx) })
	legacy(interop.InformerOf(typed), ctx.Done())
	pod, ok := typed.Get("shop/web-0")
	fmt.Println(pod.Namespace, ok)
	// Output:
	// add web-0
	// <nil> true
	// shop true
}
