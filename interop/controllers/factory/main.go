// Command factory is a controller on a generated informer factory and generated
// listers. It creates a config map of settings for each deployment, which owns it, and
// writes the status of the settings to an annotation of the deployment.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/thinformer/thinformer/interop/controllers/steps"
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
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	recorder := steps.New(ctx, os.Stdout)
	users, err := newUsers(ctx, client, recorder)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(users.namespace))
	c, err := newController(client, factory.Apps().V1().Deployments(), factory.Core().V1().ConfigMaps(), recorder)
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- c.run(ctx, 2) }()
	failed := users.play(c)
	cancel()
	if err := <-ended; err != nil {
		return err
	}
	return failed
}
