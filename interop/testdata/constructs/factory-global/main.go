// A factory in a variable of the package, made once.
package main

import (
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
)

var (
	once    sync.Once
	factory informers.SharedInformerFactory
	stop    = make(chan struct{})
)

func secrets(config *rest.Config) corelisters.SecretLister {
	once.Do(func() {
		factory = informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
		factory.Core().V1().Secrets().Informer()
		factory.Start(stop)
		factory.WaitForCacheSync(stop)
	})
	return factory.Core().V1().Secrets().Lister()
}

func main() { secrets(&rest.Config{}) }
