// A DeltaFIFO that the program fills and empties.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func main() {
	known := cache.NewStore(cache.MetaNamespaceKeyFunc)
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: known, EmitDeltaTypeReplaced: true})
	if err := queue.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}}); err != nil {
		panic(err)
	}
	_, err := queue.Pop(func(obj any, _ bool) error {
		fmt.Println(obj.(cache.Deltas).Newest().Type)
		return nil
	})
	fmt.Println(err, queue.IsClosed())
}
