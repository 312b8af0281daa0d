// A watch that continues after failures, and a watch of an informer.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything())
	watcher, err := watchtools.NewRetryWatcherWithContext(context.Background(), "1", source)
	if err != nil {
		panic(err)
	}
	for event := range watcher.ResultChan() {
		fmt.Println(event.Type)
	}
	_, _, events, done := watchtools.NewIndexerInformerWatcher(source, &corev1.Pod{})
	events.Stop()
	<-done
}
