// A factory is made in one function and passed to others.
package main

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func main() {
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	factory := informers.NewSharedInformerFactory(client, 0)
	register(factory)
	start(ctx, factory)
}

func register(factory informers.SharedInformerFactory) {
	factory.Networking().V1().Ingresses().Informer()
	factory.Core().V1().Endpoints().Informer()
}

func start(ctx context.Context, factory informers.SharedInformerFactory) {
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	<-ctx.Done()
	factory.Shutdown()
}
