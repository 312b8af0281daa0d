// Lists are read page by page.
package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"
)

func main() {
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	p := pager.New(pager.SimplePageFunc(func(opts metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Pods("").List(ctx, opts)
	}))
	p.PageSize = 100
	err := p.EachListItem(ctx, metav1.ListOptions{}, func(obj runtime.Object) error {
		fmt.Println(obj)
		return nil
	})
	_, _, listErr := p.List(ctx, metav1.ListOptions{})
	fmt.Println(err, listErr)
}
