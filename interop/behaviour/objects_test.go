package behaviour

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

func pod(name, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: version, UID: types.UID("uid-" + name)}}
}

// labeled sets a label that distinguishes versions of a pod.
func labeled(p *corev1.Pod, what string) *corev1.Pod {
	p = p.DeepCopy()
	p.Labels = map[string]string{"is": what}
	return p
}

// uid sets the uid of a pod.
func uid(p *corev1.Pod, uid string) *corev1.Pod {
	p = p.DeepCopy()
	p.UID = types.UID(uid)
	return p
}

// node returns an object without a namespace.
func node(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "1"}}
}

// object returns the metadata of an object, which is a pod, or a pod in another form.
func object(of any) metav1.Object {
	accessor, err := meta.Accessor(of)
	if err != nil {
		panic(err) // informers store only objects with metadata
	}
	return accessor
}

// relabeled is labeled for a pod in any form.
func relabeled(of any, what string) any {
	changed := of.(runtime.Object).DeepCopyObject()
	object(changed).SetLabels(map[string]string{"is": what})
	return changed
}
