package listwatch

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/thinformer/thinformer/rest"
)

// NewListWatchFromClient returns a ListWatch for a resource that c serves. The
// namespace is metav1.NamespaceAll for all namespaces and for cluster-scoped
// resources. fieldSelector selects the objects; fields.Everything() selects all.
func NewListWatchFromClient[T rest.Object](c *rest.RESTClient, resource, namespace string, fieldSelector fields.Selector) *ListWatch[T] {
	return Select(fromClient[T](c, resource, namespace), nil, fieldSelector)
}

// NewFilteredListWatchFromClient is like NewListWatchFromClient with a function
// that changes the options of every list and watch. The function is called once
// for each.
func NewFilteredListWatchFromClient[T rest.Object](c *rest.RESTClient, resource, namespace string, optionsModifier func(*metav1.ListOptions)) *ListWatch[T] {
	return Modify(fromClient[T](c, resource, namespace), optionsModifier)
}

func fromClient[T rest.Object](c *rest.RESTClient, resource, namespace string) ListerWatcher[T] {
	return rest.NewView[T](c.Client(), rest.ResourceInfo{
		GroupVersionResource: c.APIVersion().WithResource(resource),
		Namespaced:           namespace != metav1.NamespaceAll,
	}).Namespace(namespace)
}
