// The package of a group is used with a factory, to read another namespace.
package main

import (
	"context"
	"fmt"

	admissioninformers "k8s.io/client-go/informers/admissionregistration/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func main() {
	ctx := context.Background()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	secrets := coreinformers.New(factory, "kube-system", nil).Secrets()
	webhooks := admissioninformers.New(factory, metav1.NamespaceAll, nil).ValidatingWebhookConfigurations()
	for _, informer := range []cache.SharedIndexInformer{secrets.Informer(), webhooks.Informer()} {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { queue.Add("webhooks") }})
		if err != nil {
			panic(err)
		}
	}
	factory.Start(ctx.Done())
	if !cache.WaitForNamedCacheSync("webhook-controller", ctx.Done(), secrets.Informer().HasSynced, webhooks.Informer().HasSynced) {
		return
	}
	fmt.Println(secrets.Lister().Secrets("kube-system").Get("webhook-certs"))
}
