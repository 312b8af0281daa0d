// A mutation cache above an indexer of a factory.
package main

import (
	"fmt"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

func main() {
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	secrets := factory.Core().V1().Secrets().Informer()
	written := cache.NewIntegerResourceVersionMutationCache(klog.Background(), secrets.GetStore(), secrets.GetIndexer(), time.Minute, true)
	fmt.Println(written.GetByKey("shop/web"))
}
