// NewInformer, NewTransformingInformer and NewInformerWithOptions: a store and a controller.
package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{}).CoreV1().RESTClient()
	source := func(resource string) *cache.ListWatch {
		return cache.NewListWatchFromClient(client, resource, "", fields.Everything())
	}
	endpoints, first := cache.NewInformer(source("endpoints"), &corev1.Endpoints{}, time.Minute, cache.ResourceEventHandlerFuncs{})
	pods, second := cache.NewTransformingInformer(source("pods"), &corev1.Pod{}, 0, cache.ResourceEventHandlerFuncs{}, func(obj any) (any, error) { return obj, nil })
	services, third := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: source("services"), ObjectType: &corev1.Service{}, Handler: cache.ResourceEventHandlerFuncs{},
		Indexers: cache.Indexers{"name": func(obj any) ([]string, error) { return []string{obj.(*corev1.Service).Name}, nil }},
	})
	stop := make(chan struct{})
	for _, controller := range []cache.Controller{first, second, third} {
		go controller.Run(stop)
	}
	fmt.Println(len(endpoints.List()), len(pods.ListKeys()), len(services.List()))
}
