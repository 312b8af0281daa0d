package stack

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clientgo "k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/cache"
)

// layer is an informer of package cache with a clientset: client-go sends the requests,
// and this library decodes the responses.
type layer struct {
	cache.SharedIndexInformer
	handler cache.ResourceEventHandlerRegistration
}

func openLayer(q question, c calls) informer {
	if q.As != asTyped {
		panic("a clientset has typed objects only")
	}
	config := &clientgo.Config{Host: q.URL, QPS: -1}
	config.ContentType = string(q.Encoding)
	client := must(corev1client.NewForConfig(config))
	source := cache.NewListWatchFromClient(client.RESTClient(), "pods", "", fields.Everything())
	l := layer{SharedIndexInformer: cache.NewSharedIndexInformerWithOptions(source, new(corev1.Pod), cache.SharedIndexInformerOptions{})}
	l.handler = must(l.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { c.added() },
		UpdateFunc: func(_, object any) { c.updated(object) },
	}))
	go l.RunWithContext(context.Background())
	return l
}

func (l layer) Sync() { <-l.handler.HasSyncedChecker().Done() }

func (l layer) Each(visit func(object any)) {
	for _, object := range l.GetStore().List() {
		visit(object)
	}
}
