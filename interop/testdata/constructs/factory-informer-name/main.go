// A factory with a name for metrics.
package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	name, err := cache.NewInformerName("controller")
	if err != nil {
		panic(err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(&rest.Config{}), 0, informers.WithInformerName(name))
	factory.Core().V1().Pods().Informer()
	factory.Start(make(chan struct{}))
	factory.Shutdown()
}
