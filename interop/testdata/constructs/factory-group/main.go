// The package of a group is used with a factory of the caller, in a file that imports no factory.
package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func main() {
	ctx := context.Background()
	factory := newFactory(kubernetes.NewForConfigOrDie(&rest.Config{}))
	group := groupOf(factory, "kube-system")
	pods, secrets := group.V1().Pods(), group.V1().Secrets().Lister()
	pods.Informer().HasSynced()
	factory.Start(ctx.Done())
	fmt.Println(secrets.Secrets("kube-system").Get("token"))
}

func groupOf(factory internalinterfaces.SharedInformerFactory, namespace string) core.Interface {
	return core.New(factory, namespace, func(o *metav1.ListOptions) {
		o.LabelSelector = "app=web"
	})
}
