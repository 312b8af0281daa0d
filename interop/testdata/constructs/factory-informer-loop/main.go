// Informers of several accessors are stored by the type of their objects.
package main

import (
	"context"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	ctx := context.Background()
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	all := map[reflect.Type]cache.SharedIndexInformer{
		reflect.TypeFor[*corev1.Pod]():         factory.Core().V1().Pods().Informer(),
		reflect.TypeFor[*appsv1.Deployment]():  factory.Apps().V1().Deployments().Informer(),
		reflect.TypeFor[*appsv1.StatefulSet](): factory.Apps().V1().StatefulSets().Informer(),
	}
	var synced []cache.InformerSynced
	for _, informer := range all {
		go informer.RunWithContext(ctx)
		synced = append(synced, informer.HasSynced)
	}
	cache.WaitForCacheSync(ctx.Done(), synced...)
}
