// A watch error handler of an informer of a factory.
package main

import (
	"log"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	secrets := factory.Core().V1().Secrets().Informer()
	if err := secrets.SetWatchErrorHandler(func(r *cache.Reflector, err error) {
		if apierrors.IsForbidden(err) {
			log.Fatal("secrets are forbidden")
		}
		cache.DefaultWatchErrorHandler(nil, r, err)
	}); err != nil {
		panic(err)
	}
	factory.Start(stop)
}
