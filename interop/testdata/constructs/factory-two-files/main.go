// Two files of one package: only one of them imports the factory's package.
package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	w := newWorker(factory.Core().V1().Pods().Informer())
	factory.Start(stop)
	w.run(stop)
}
