// A package of the program has an informer, and main uses the type of it.
package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop/testdata/constructs/own-subpackage/pods"
)

func main() {
	var informer cache.SharedIndexInformer = pods.New(kubernetes.NewForConfigOrDie(&rest.Config{}))
	informer.Run(make(chan struct{}))
}
