// Package pods has an informer of pods.
package pods

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// New returns an informer of all pods.
func New(client kubernetes.Interface) cache.SharedIndexInformer {
	source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything())
	return cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, cache.Indexers{})
}
