// An informer over the typed client of one resource, in a generic function of the program.
package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type client[L runtime.Object] interface {
	List(ctx context.Context, opts metav1.ListOptions) (L, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
}

func newInformer[L runtime.Object](c client[L], obj runtime.Object) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc:  func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) { return c.List(ctx, opts) },
		WatchFuncWithContext: c.Watch,
	}, obj, 0, cache.Indexers{})
}

func main() {
	clients := kubernetes.NewForConfigOrDie(&rest.Config{})
	all := []cache.SharedIndexInformer{
		newInformer(clients.CoreV1().Pods(""), &corev1.Pod{}),
		coreinformers.NewNodeInformer(clients, 0, cache.Indexers{}),
	}
	for _, informer := range all {
		go informer.Run(nil)
	}
}
