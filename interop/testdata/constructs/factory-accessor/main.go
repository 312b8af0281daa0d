// A generated factory, an informer and a lister of one kind, as in most controllers.
package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	run(context.Background(), kubernetes.NewForConfigOrDie(&rest.Config{}))
}

func run(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute)
	pods := factory.Core().V1().Pods()
	_, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { fmt.Println("added", obj.(*corev1.Pod).Name) },
		UpdateFunc: func(_, obj any) { fmt.Println("updated", obj.(*corev1.Pod).Name) },
	})
	if err != nil {
		panic(err)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), pods.Informer().HasSynced) {
		return
	}
	all, err := pods.Lister().Pods("shop").List(labels.Everything())
	fmt.Println(len(all), err)
}
