// A named reflector with a store of the library, as in admission plugins.
package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "limitranges", "", fields.Everything())
	indexer, reflector := cache.NewNamespaceKeyedIndexerAndReflector(source, &corev1.LimitRange{}, 0)
	go reflector.RunWithContext(ctx)
	named := cache.NewNamedReflector("limits", source, &corev1.LimitRange{}, cache.NewStore(cache.MetaNamespaceKeyFunc), time.Minute)
	go named.Run(ctx.Done())
	fmt.Println(indexer.ListIndexFuncValues(cache.NamespaceIndex), named.LastSyncResourceVersion(), named.Name(), named.TypeDescription())
	unwatched := cache.NewReflector(source, &corev1.LimitRange{}, cache.NewUndeltaStore(func([]any) {}, cache.MetaNamespaceKeyFunc), 0)
	fmt.Println(unwatched.ListAndWatch(ctx.Done()))
}
