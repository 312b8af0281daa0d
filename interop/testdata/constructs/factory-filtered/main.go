// The deprecated constructor with a namespace and a selector.
package main

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func main() {
	stop := make(chan struct{})
	factory := informers.NewFilteredSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), time.Hour, "shop",
		func(opts *metav1.ListOptions) { opts.LabelSelector = "app=web" })
	factory.Apps().V1().Deployments().Informer()
	factory.Start(stop)
}
