// A program whose tests pass a fake clientset to the function that makes its informers, and
// wait for an event of an object that they create with it.
package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	if err := Watch(context.Background(), kubernetes.NewForConfigOrDie(&rest.Config{}), func(m *corev1.ConfigMap) { fmt.Println(m.Name) }); err != nil {
		panic(err)
	}
}

// Watch calls found for the config maps of a namespace, and returns after the first ones.
func Watch(ctx context.Context, client kubernetes.Interface, found func(*corev1.ConfigMap)) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, time.Minute, informers.WithNamespace("shop"))
	maps := factory.Core().V1().ConfigMaps().Informer()
	registration, err := maps.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { found(obj.(*corev1.ConfigMap)) }})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), maps.HasSynced, registration.HasSynced) {
		return ctx.Err()
	}
	return nil
}
