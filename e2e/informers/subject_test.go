package informers

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/rest"
)

// view selects objects and the way in which they are read.
type view struct {
	selected bool // only those that are selected
	lists    bool // the initial state comes from a list, otherwise from the watch
}

func (v view) selector() string {
	if v.selected {
		return selectedLabel + "=yes"
	}
	return ""
}

// IsWatchListSemanticsUnSupported is client-go's counterpart of
// [informer.Options.PreferList].
func (v view) IsWatchListSemanticsUnSupported() bool { return v.lists }

// encoding is the encoding and the protocol of both libraries.
type encoding struct {
	json  bool // otherwise protobuf if the objects have it
	http1 bool
}

func (e encoding) String() string {
	name := "protobuf"
	if e.json {
		name = "json"
	}
	if e.http1 {
		name += "-http1"
	}
	return name
}

// subject is a kind as both sides read it.
type subject struct {
	name string
	*kind
	encoding
	selected bool

	ours   func(client *rest.Client, k *kind, v view) (ours, error)
	theirs func(config *clientgo.Config, k *kind) (*cache.ListWatch, error)
	// example has the type that client-go's informer reads.
	example runtime.Object
	// content returns the fields of an object that our informer keeps, in JSON.
	content func(any) (string, error)
}

// subjectOf returns a subject whose type is T in our informer.
func subjectOf[T any, PT interface {
	*T
	rest.Object
}](name string, k *kind, e encoding, selected bool, theirs func(*clientgo.Config, *kind) (*cache.ListWatch, error), example runtime.Object) subject {
	return subject{
		name: name, kind: k, encoding: e, selected: selected,
		ours: newOurs[PT], theirs: theirs, example: example, content: contentAs[T],
	}
}

var (
	protobuf = encoding{}
	asJSON   = encoding{json: true}
	asHTTP1  = encoding{json: true, http1: true}
)

// subjects returns all ways in which a kind is read.
func subjects() []subject {
	return []subject{
		subjectOf[corev1.ConfigMap]("config maps by protobuf", configMaps, protobuf, false, typedSource, new(corev1.ConfigMap)),
		subjectOf[corev1.ConfigMap]("config maps by JSON, HTTP/1.1", configMaps, asHTTP1, false, typedSource, new(corev1.ConfigMap)),
		subjectOf[slimConfigMap]("selected config maps, slim", configMaps, asJSON, true, typedSource, new(corev1.ConfigMap)),
		subjectOf[corev1.Secret]("selected secrets by protobuf", secrets, protobuf, true, typedSource, new(corev1.Secret)),
		subjectOf[corev1.Service]("services by JSON", services, asJSON, false, typedSource, new(corev1.Service)),
		subjectOf[appsv1.Deployment]("selected deployments by protobuf", deployments, protobuf, true, typedSource, new(appsv1.Deployment)),
		subjectOf[metav1.PartialObjectMetadata]("metadata of deployments", deployments, protobuf, false, metadataSource, new(metav1.PartialObjectMetadata)),
		subjectOf[widget]("selected widgets, a plain struct", widgets, asJSON, true, unstructuredSource, new(unstructured.Unstructured)),
		subjectOf[unstructured.Unstructured]("widgets, unstructured", widgets, asHTTP1, false, unstructuredSource, new(unstructured.Unstructured)),
		subjectOf[metav1.PartialObjectMetadata]("metadata of selected widgets", widgets, protobuf, true, metadataSource, new(metav1.PartialObjectMetadata)),
	}
}

// contentAs returns the fields of an object that a T has, without those that depend on the
// way of reading: managedFields and the type.
func contentAs[T any](object any) (string, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return "", fmt.Errorf("compare %T: %w", object, err)
	}
	same := new(T)
	if err := json.Unmarshal(text, same); err != nil {
		return "", fmt.Errorf("compare %T: %w", object, err)
	}
	if text, err = json.Marshal(same); err != nil {
		return "", fmt.Errorf("compare %T: %w", same, err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", fmt.Errorf("compare %T: %w", same, err)
	}
	delete(fields, "apiVersion")
	delete(fields, "kind")
	if metadata, ok := fields["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
	text, err = json.Marshal(fields)
	return string(text), err
}
