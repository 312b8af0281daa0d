// A package of the program takes a factory and returns listers.
package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/interop/testdata/constructs/factory-subpackage/state"
)

func main() {
	ctx := context.Background()
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	s := state.New(factory)
	factory.Start(ctx.Done())
	fmt.Println(s.Wait(ctx), s.Pods.GetIndexer().ListKeys())
}
