package factory

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientcache "k8s.io/client-go/tools/cache"
)

// GenericInformer is the informer of a resource with a lister of any object. It implements
// the interface of the same name of generated factories.
type GenericInformer struct {
	informer clientcache.SharedIndexInformer
	resource schema.GroupResource
}

// Informer returns the informer.
func (g *GenericInformer) Informer() clientcache.SharedIndexInformer { return g.informer }

// Lister returns a lister of the informer's objects.
func (g *GenericInformer) Lister() clientcache.GenericLister {
	return clientcache.NewGenericLister(g.informer.GetIndexer(), g.resource)
}
