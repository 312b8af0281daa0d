package listwatch

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/thinformer/thinformer/rest"
)

// NewListWatchFromClient is a ListWatch of a resource that c serves: in one
// namespace, or in all for metav1.NamespaceAll, and of cluster-scoped resources;
// of the objects that fieldSelector chooses, fields.Everything() for all.
func NewListWatchFromClient[T rest.Object](c *rest.RESTClient, resource, namespace string, fieldSelector fields.Selector) *ListWatch[T] {
	return Select(fromClient[T](c, resource, namespace), nil, fieldSelector)
}

// NewFilteredListWatchFromClient is the same with a function that changes the
// options of every list and watch. It is called anew for each.
func NewFilteredListWatchFromClient[T rest.Object](c *rest.RESTClient, resource, namespace string, optionsModifier func(*metav1.ListOptions)) *ListWatch[T] {
	return Modify(fromClient[T](c, resource, namespace), optionsModifier)
}

func fromClient[T rest.Object](c *rest.RESTClient, resource, namespace string) ListerWatcher[T] {
	return rest.NewView[T](c.Client(), rest.ResourceInfo{
		GroupVersionResource: c.APIVersion().WithResource(resource),
		Namespaced:           namespace != metav1.NamespaceAll,
	}).Namespace(namespace)
}
