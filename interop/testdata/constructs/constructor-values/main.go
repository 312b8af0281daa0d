// Generated constructors are values of a table.
package main

import (
	"fmt"
	"time"

	appsinformers "k8s.io/client-go/informers/apps/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var constructors = map[string]func(kubernetes.Interface, string, time.Duration, cache.Indexers) cache.SharedIndexInformer{
	"pods":        coreinformers.NewPodInformer,
	"services":    coreinformers.NewServiceInformer,
	"deployments": appsinformers.NewDeploymentInformer,
}

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	for name, construct := range constructors {
		informer := construct(client, "shop", 0, cache.Indexers{})
		go informer.Run(make(chan struct{}))
		fmt.Println(name, informer.HasSynced())
	}
}
