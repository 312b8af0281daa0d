// A generated lister is made of an indexer of a factory's informer.
package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
)

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	lister := corelisters.NewNodeLister(factory.Core().V1().Nodes().Informer().GetIndexer())
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	if _, err := lister.Get("node-1"); err != nil {
		panic(err)
	}
}
