package informer

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/internal/observe"
	"github.com/thinformer/thinformer/rest"
)

// bodyMetadata is what is kept of every object. It is one type for bodies of all types,
// so that they can share one informer.
type bodyMetadata struct {
	bodyObjectMeta `json:"metadata"`
}

type bodyObjectMeta struct {
	rest.SlimMeta `json:",inline"`
	Labels        map[string]string `json:"labels,omitempty"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

// metadataFor returns the informer of the metadata of view's objects.
func metadataFor[T rest.Object](f *Factory, view *rest.View[T], tweak func(*metav1.ListOptions)) *SharedInformer[*bodyMetadata] {
	o := Options[*bodyMetadata]{Transform: dropLastApplied, TweakListOptions: tweak}
	if nilcheck.IsNil(view) {
		return For[*bodyMetadata](f, (*rest.View[*bodyMetadata])(nil), o)
	}
	metadata := rest.MetadataOf[*bodyMetadata](view)
	if f == nil {
		return For(f, metadata, o)
	}
	options := f.options
	options.Transform = nil // it is for the objects that a program reads
	namespace := namespaceOf(metadata, options.Namespace)
	if namespace == "" {
		namespace = metadata.ScopedNamespace()
	}
	tweak = withDefaults(options, o).TweakListOptions
	o.Name = nameOf[*bodyMetadata](metadata.ResourceInfo().GroupVersionResource, namespace, effectiveListOptions(metadata, tweak)) + " (metadata)"
	return forWith(f, options, metadata, o)
}

// lastAppliedAnnotation is where kubectl keeps a copy of the whole object.
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

func dropLastApplied(m *bodyMetadata) (*bodyMetadata, bool, error) {
	delete(m.Annotations, lastAppliedAnnotation)
	if len(m.Annotations) == 0 {
		m.Annotations = nil
	}
	return m, true, nil
}

// metadataChanged is an observer. It drops the body of an object that has changed.
func (b *Bodies[T]) metadataChanged(e *observe.Event) {
	if e.Deleted {
		b.kept.drop(e.Key)
		return
	}
	b.kept.dropUnless(e.Key, bodyVersion{e.New.(*bodyMetadata).ResourceVersion, e.Epoch})
}
