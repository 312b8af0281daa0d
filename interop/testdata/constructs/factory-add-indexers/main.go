// Indexes are added to an informer of a factory, and read through its indexer.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type finder struct{ indexer cache.Indexer }

func main() {
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	pods := factory.Core().V1().Pods().Informer()
	if err := pods.AddIndexers(cache.Indexers{"ip": podIP}); err != nil {
		panic(err)
	}
	f := finder{indexer: pods.GetIndexer()}
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	fmt.Println(f.byIP("10.0.0.1"))
}

func podIP(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, fmt.Errorf("unexpected type %T", obj)
	}
	return []string{pod.Status.PodIP}, nil
}

func (f finder) byIP(ip string) (*corev1.Pod, error) {
	found, err := f.indexer.ByIndex("ip", ip)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0].(*corev1.Pod), nil
}
