// A factory that k8s.io/code-generator has generated for kinds of the program.
package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned"
	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions"
	shopinformers "github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions/shop/v1"
)

func main() {
	ctx := context.Background()
	factory := externalversions.NewSharedInformerFactory(versioned.NewForConfigOrDie(&rest.Config{}), 0)
	c := newController(factory.Shop().V1().Widgets())
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	c.print()
}

type controller struct {
	widgets shopinformers.WidgetInformer
}

func newController(widgets shopinformers.WidgetInformer) *controller {
	_, err := widgets.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { fmt.Println(obj) }})
	if err != nil {
		panic(err)
	}
	return &controller{widgets}
}

func (c *controller) print() { fmt.Println(c.widgets.Lister().List(labels.Everything())) }
