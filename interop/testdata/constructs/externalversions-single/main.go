// An informer of a constructor that k8s.io/code-generator has generated, without a factory.
package main

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned"
	shopinformers "github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions/shop/v1"
)

func main() {
	widgets := shopinformers.NewWidgetInformer(versioned.NewForConfigOrDie(&rest.Config{}), "shop", 0, cache.Indexers{})
	widgets.Run(make(chan struct{}))
}
