// An informer of a generated constructor, without a factory.
package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	ctx := context.Background()
	informer := coreinformers.NewFilteredPodInformer(kubernetes.NewForConfigOrDie(&rest.Config{}), "shop", time.Minute,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
		func(opts *metav1.ListOptions) { opts.FieldSelector = "spec.nodeName=node-1" })
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return
	}
	fmt.Println(corelisters.NewPodLister(informer.GetIndexer()).Pods("shop").Get("web"))
}
