// A FIFO behind the interface Queue.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func main() {
	var queue cache.Queue = cache.NewFIFO(cache.MetaNamespaceKeyFunc)
	for _, name := range []string{"first", "second"} {
		pod := &corev1.Pod{}
		pod.Name = name
		if err := queue.Add(pod); err != nil {
			panic(err)
		}
	}
	_, err := queue.Pop(func(obj any, _ bool) error {
		fmt.Println(obj.(*corev1.Pod).Name)
		return nil
	})
	queue.Close()
	fmt.Println(err, queue.HasSynced())
}
