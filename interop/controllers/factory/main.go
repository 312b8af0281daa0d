// Command factory is a controller on two generated informer factories, one for each of two
// namespaces, and on generated listers. It creates a config map of settings for each
// deployment, which owns it, and writes the status of the settings to an annotation of the
// deployment. The informer of these config maps is made by a function of its own, which
// skips those of the cluster. Defaults of the settings are in the other namespace.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
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
	work := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(users.namespace))
	work.InformerFor(&corev1.ConfigMap{}, newSettings(users.namespace))
	shared := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(users.shared))
	c, err := newController(client, work.Apps().V1().Deployments(), work.Core().V1().ConfigMaps(), shared.Core().V1().ConfigMaps(), recorder)
	if err != nil {
		return err
	}
	for _, factory := range []informers.SharedInformerFactory{work, shared} {
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
	}
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

// newSettings returns a function for InformerFor: an informer of the config maps of one
// namespace, except the one that a cluster creates in each namespace.
func newSettings(namespace string) func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
	return func(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		skip := func(opts *metav1.ListOptions) { opts.FieldSelector = "metadata.name!=kube-root-ca.crt" }
		return cache.NewSharedIndexInformer(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
				skip(&opts)
				return client.CoreV1().ConfigMaps(namespace).List(ctx, opts)
			},
			WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
				skip(&opts)
				return client.CoreV1().ConfigMaps(namespace).Watch(ctx, opts)
			},
		}, &corev1.ConfigMap{}, resync, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	}
}
