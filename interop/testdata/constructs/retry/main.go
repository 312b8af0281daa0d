// Updates are tried again after a conflict, next to a queue.
package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
)

func main() {
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	queue := workqueue.NewTyped[string]()
	defer queue.ShutDown()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		m, err := client.CoreV1().ConfigMaps("shop").Get(ctx, "settings", metav1.GetOptions{})
		if err != nil {
			return err
		}
		_, err = client.CoreV1().ConfigMaps("shop").Update(ctx, m, metav1.UpdateOptions{})
		return err
	})
	if err == nil {
		err = retry.OnError(retry.DefaultRetry, apierrors.IsServerTimeout, func() error { return nil })
	}
	if err != nil {
		panic(err)
	}
}
