package resourcetest

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	clientrest "k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/apitest"
)

// Pods and maps are the resources of the tests.
var (
	Pods = corev1.SchemeGroupVersion.WithResource("pods")
	maps = corev1.SchemeGroupVersion.WithResource("configmaps")
)

// Pod returns a pod with a label.
func Pod(namespace, name, app string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": app}}}
}

// ConfigOf returns client-go's config for a test server.
func ConfigOf(srv *apitest.Server) *clientrest.Config {
	c := srv.Config()
	return &clientrest.Config{
		Host: c.Host, TLSClientConfig: clientrest.TLSClientConfig{CAData: c.TLS.CAData}, BearerToken: c.BearerToken, QPS: -1,
	}
}

// Partial returns the metadata of an object, with its kind.
func Partial(object runtime.Object) *metav1.PartialObjectMetadata {
	metadata := meta.AsPartialObjectMetadata(object.(metav1.Object))
	kinds, _, _ := scheme.Scheme.ObjectKinds(object)
	metadata.SetGroupVersionKind(kinds[0])
	return metadata
}

func untyped(object runtime.Object) *unstructured.Unstructured {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err) // objects of k8s.io/api can be converted
	}
	kinds, _, _ := scheme.Scheme.ObjectKinds(object)
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kinds[0])
	return u
}

// described returns the type, the kind and the key of an object.
func described(obj any) string {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err.Error()
	}
	kind := obj.(runtime.Object).GetObjectKind().GroupVersionKind().Kind
	return fmt.Sprintf("%T %s %s/%s", obj, kind, object.GetNamespace(), object.GetName())
}

func describedAll(objects []runtime.Object) []string {
	var all []string
	for _, object := range objects {
		all = append(all, described(object))
	}
	slices.Sort(all)
	return all
}
