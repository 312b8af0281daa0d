package informer

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	// Labels and Annotations are set while the object is decoded and when it is encoded.
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	// pairs has the keys and values of the labels, and from the given index on those of
	// the annotations. A map takes 300 bytes more.
	pairs       []string
	annotations int
}

// compact moves labels and annotations from the maps to pairs, without the copy of the
// object that kubectl keeps in an annotation. It is a Transform, and the same value for
// all informers of metadata, so that they can be shared.
func compact(m *bodyMetadata) (*bodyMetadata, bool, error) {
	delete(m.Annotations, lastAppliedAnnotation)
	m.annotations = 2 * len(m.Labels)
	if n := m.annotations + 2*len(m.Annotations); n > 0 {
		m.pairs = make([]string, 0, n)
	}
	for _, pairs := range []map[string]string{m.Labels, m.Annotations} {
		for key, value := range pairs {
			m.pairs = append(m.pairs, key, value)
		}
	}
	m.Labels, m.Annotations = nil, nil
	return m, true, nil
}

// lastAppliedAnnotation is where kubectl keeps a copy of the whole object.
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// MarshalJSON encodes the metadata as the server does, for the debug page.
func (m *bodyMetadata) MarshalJSON() ([]byte, error) {
	type plain bodyMetadata // without this method
	whole := plain(*m)
	if m.pairs != nil {
		whole.Labels, whole.Annotations = mapOf(m.pairs[:m.annotations]), mapOf(m.pairs[m.annotations:])
	}
	return json.Marshal(whole)
}

func mapOf(pairs []string) map[string]string {
	m := make(map[string]string, len(pairs)/2)
	for pair := range slices.Chunk(pairs, 2) {
		m[pair[0]] = pair[1]
	}
	return m
}

// metadataFor returns the informer of the metadata of view's objects.
func metadataFor[T rest.Object](f *Factory, view *rest.View[T], tweak func(*metav1.ListOptions)) *SharedInformer[*bodyMetadata] {
	o := Options[*bodyMetadata]{Transform: compact, TweakListOptions: tweak}
	if view == nil {
		return withoutView[T](f, o)
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

// withoutView returns an informer whose calls return an error.
func withoutView[T rest.Object](f *Factory, o Options[*bodyMetadata]) *SharedInformer[*bodyMetadata] {
	o.Name = typeName[T]() + " (metadata)"
	var none *rest.View[*bodyMetadata]
	if f == nil {
		return For(f, none, o)
	}
	e, shareable := newEntry(f.options, none, o)
	e.informer.(*SharedInformer[*bodyMetadata]).shared.err = fmt.Errorf("%w: ForBodies was called with a nil *rest.View[%s]", ErrNoSource, typeName[T]())
	return request[*bodyMetadata](f, e, shareable)
}

// metadataChanged is an observer. It drops the body of an object that has changed.
func (b *Bodies[T]) metadataChanged(e *observe.Event) {
	if e.Deleted {
		b.kept.drop(e.Key)
		return
	}
	b.kept.dropUnless(e.Key, bodyVersion{e.New.(*bodyMetadata).ResourceVersion, e.Epoch})
}
