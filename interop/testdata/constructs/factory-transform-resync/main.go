// A factory with a transform and a resync period for each type.
package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(&rest.Config{}), time.Hour,
		informers.WithTransform(strip),
		informers.WithCustomResyncConfig(map[metav1.Object]time.Duration{&corev1.Node{}: time.Minute}))
	nodes := factory.Core().V1().Nodes().Informer()
	factory.Start(stop)
	cache.WaitForCacheSync(stop, nodes.HasSynced)
}

func strip(obj any) (any, error) {
	if accessor, err := meta.Accessor(obj); err == nil {
		accessor.SetManagedFields(nil)
	}
	return obj, nil
}
