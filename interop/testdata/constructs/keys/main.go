// Keys are made, split and compared.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func main() {
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = "shop", "web"
	key, err := cache.MetaNamespaceKeyFunc(pod)
	if err != nil {
		panic(err)
	}
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	fmt.Println(namespace, name, err)
	object, err := cache.ParseObjectName(key)
	fmt.Println(object == cache.MetaObjectToName(pod), object == cache.NewObjectName("shop", "web"), err)
	if _, err := cache.MetaNamespaceKeyFunc(cache.ExplicitKey("a")); err != nil {
		fmt.Println(cache.KeyError{Obj: "a", Err: err})
	}
	fmt.Println(cache.DeletionHandlingMetaNamespaceKeyFunc(cache.DeletedFinalStateUnknown{Key: key}))
}
