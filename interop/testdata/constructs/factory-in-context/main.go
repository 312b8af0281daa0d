// Factories and informers are kept in a context, as injected controllers do.
package main

import (
	"context"
	"fmt"

	coreinformers "k8s.io/client-go/informers/core/v1"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type factoryKey struct{}
type podsKey struct{}

func withFactory(ctx context.Context, client kubernetes.Interface) context.Context {
	return context.WithValue(ctx, factoryKey{}, informers.NewSharedInformerFactory(client, 0))
}

func withPods(ctx context.Context) (context.Context, cache.SharedIndexInformer) {
	pods := ctx.Value(factoryKey{}).(informers.SharedInformerFactory).Core().V1().Pods()
	return context.WithValue(ctx, podsKey{}, pods), pods.Informer()
}

func podsOf(ctx context.Context) coreinformers.PodInformer {
	pods, ok := ctx.Value(podsKey{}).(coreinformers.PodInformer)
	if !ok {
		panic("the context has no informer of pods")
	}
	return pods
}

func main() {
	ctx, informer := withPods(withFactory(context.Background(), kubernetes.NewForConfigOrDie(&rest.Config{})))
	go informer.Run(ctx.Done())
	fmt.Println(podsOf(ctx).Lister().Pods("shop").Get("web"))
}
