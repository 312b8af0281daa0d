// A test of a controller: a factory on a fake clientset, whose stores the test fills.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

func main() {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	client := fake.NewClientset(pod)
	factory := informers.NewSharedInformerFactory(client, 0)
	if err := factory.Core().V1().Pods().Informer().GetIndexer().Add(pod); err != nil {
		panic(err)
	}
	factory.Start(context.Background().Done())
	fmt.Println(factory.Core().V1().Pods().Lister().Pods("shop").Get("web"))
	fmt.Println(len(client.Actions()))
}
