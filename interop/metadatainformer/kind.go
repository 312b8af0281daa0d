package metadatainformer

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcache "k8s.io/client-go/tools/cache"
)

// withoutKind is an informer whose objects have no apiVersion and kind, as those that
// client-go's metadata client decodes: a server sends those of the metadata itself.
type withoutKind struct {
	clientcache.SharedIndexInformer
}

func newWithoutKind(informer clientcache.SharedIndexInformer) withoutKind {
	w := withoutKind{informer}
	_ = w.SetTransform(nil) // it fails only for an informer that runs
	return w
}

// SetTransform implements [clientcache.SharedInformer].
func (w withoutKind) SetTransform(transform clientcache.TransformFunc) error {
	return w.SharedIndexInformer.SetTransform(func(object any) (any, error) {
		if metadata, ok := object.(*metav1.PartialObjectMetadata); ok {
			metadata.TypeMeta = metav1.TypeMeta{}
		}
		if transform == nil {
			return object, nil
		}
		return transform(object)
	})
}
