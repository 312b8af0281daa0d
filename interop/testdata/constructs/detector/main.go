// The detector of modified objects, and features of a reflector.
package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func main() {
	detector := cache.NewCacheMutationDetector("pods")
	detector.AddObject(&corev1.Pod{})
	detector.Run(make(chan struct{}))
}
