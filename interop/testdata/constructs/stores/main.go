// Stores without informers: an indexer, a store, a thread-safe store and one that expires.
package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

type assumed struct {
	cache.Store
	pods cache.Indexer
	raw  cache.ThreadSafeStore
}

func main() {
	a := assumed{
		Store: cache.NewTTLStore(cache.MetaNamespaceKeyFunc, time.Minute),
		pods:  cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}),
		raw:   cache.NewThreadSafeStore(cache.Indexers{}, cache.Indices{}),
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	if err := a.Add(pod); err != nil {
		panic(err)
	}
	if err := a.pods.Replace([]any{pod}, "7"); err != nil {
		panic(err)
	}
	a.raw.Add("shop/web", pod)
	names, err := a.pods.IndexKeys(cache.NamespaceIndex, "shop")
	fmt.Println(names, err, a.raw.ListKeys(), a.ListKeys())
}
