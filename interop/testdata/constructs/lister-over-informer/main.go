// A generated lister over the program's own informer.
package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type reader struct {
	informer cache.SharedIndexInformer
	lister   corelisters.ServiceLister
}

func newReader(client kubernetes.Interface) *reader {
	source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "services", "", fields.Everything())
	informer := cache.NewSharedIndexInformer(source, &corev1.Service{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	return &reader{informer: informer, lister: corelisters.NewServiceLister(informer.GetIndexer())}
}

func main() {
	ctx := context.Background()
	r := newReader(kubernetes.NewForConfigOrDie(&rest.Config{}))
	go r.informer.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), r.informer.HasSynced)
	if _, err := r.lister.Services("shop").Get("web"); err != nil {
		panic(err)
	}
}
