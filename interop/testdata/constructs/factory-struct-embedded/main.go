// A struct embeds the factory's interface and adds a method.
package main

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

type sharedFactory struct {
	informers.SharedInformerFactory
	started bool
}

func (f *sharedFactory) startOnce(ctx context.Context) {
	if !f.started {
		f.started = true
		f.Start(ctx.Done())
	}
	f.WaitForCacheSync(ctx.Done())
}

func main() {
	f := &sharedFactory{SharedInformerFactory: informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)}
	f.Batch().V1().Jobs().Informer()
	f.startOnce(context.Background())
}
