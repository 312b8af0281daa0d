// A generated factory beside client-go's, with options of both.
package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned"
	shopinformers "github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions"
)

func main() {
	stop := make(chan struct{})
	config := &rest.Config{}
	kinds := informers.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(config), 0, informers.WithNamespace("shop"))
	widgets := shopinformers.NewSharedInformerFactoryWithOptions(versioned.NewForConfigOrDie(config), 0, shopinformers.WithNamespace("shop"))
	all := []cache.SharedIndexInformer{kinds.Core().V1().Pods().Informer(), widgets.Shop().V1().Widgets().Informer()}
	kinds.Start(stop)
	widgets.Start(stop)
	for _, informer := range all {
		cache.WaitForCacheSync(stop, informer.HasSynced)
	}
}
