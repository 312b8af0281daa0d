// Command custom is a controller on a factory that k8s.io/code-generator has generated for
// kinds of its own. It stores widgets in the places of a stock, in the order of their names,
// and writes to an annotation of each widget whether it has a place.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/thinformer/thinformer/interop/controllers/steps"
	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned"
	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "`path` of the kubeconfig")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *kubeconfig); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return err
	}
	recorder := steps.New(ctx, os.Stdout)
	users, err := newUsers(ctx, untyped, client, recorder)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory := externalversions.NewSharedInformerFactoryWithOptions(client, 0, externalversions.WithNamespace(users.namespace))
	c, err := newController(client, factory.Shop().V1(), recorder)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- c.run(ctx) }()
	failed := users.play()
	cancel()
	if err := <-ended; err != nil {
		return err
	}
	return failed
}
