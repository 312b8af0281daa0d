// A controller reads from a lister. The tests in its package fill an indexer for the lister;
// the external tests use the controller's own constructor.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	ctx := context.Background()
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	pods := factory.Core().V1().Pods()
	counter := Counter{Lister: pods.Lister(), Synced: pods.Informer().HasSynced}
	factory.Start(ctx.Done())
	if cache.WaitForCacheSync(ctx.Done(), counter.Synced) {
		fmt.Println(counter.Running())
	}
}

// A Counter counts pods.
type Counter struct {
	Lister corelisters.PodLister
	Synced cache.InformerSynced
}

// Running returns the number of running pods.
func (c Counter) Running() (int, error) {
	pods, err := c.Lister.List(labels.Everything())
	running := 0
	for _, pod := range pods {
		if pod.Status.Phase == corev1.PodRunning {
			running++
		}
	}
	return running, err
}
