// The packages of a group of a generated factory are used with the factory, each for a namespace.
package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned"
	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions"
	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions/shop"
	shopinformers "github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions/shop/v1"
)

func main() {
	ctx := context.Background()
	factory := externalversions.NewSharedInformerFactory(versioned.NewForConfigOrDie(&rest.Config{}), 0)
	widgets := shopinformers.New(factory, "shop", nil).Widgets()
	stock := shop.New(factory, "", nil).V1().Stocks()
	widgets.Informer()
	fmt.Println(stock.Informer().HasSynced())
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	fmt.Println(widgets.Lister().Widgets("shop").Get("web"))
}
