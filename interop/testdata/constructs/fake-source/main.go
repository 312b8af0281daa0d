// A test's controller source feeds an informer.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
)

func main() {
	source := fcache.NewFakeControllerSource()
	informer := cache.NewSharedInformer(source, &corev1.Pod{}, 0)
	stop := make(chan struct{})
	go informer.Run(stop)
	source.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
	cache.WaitForCacheSync(stop, informer.HasSynced)
	fmt.Println(informer.GetStore().ListKeys())
	close(stop)
}
