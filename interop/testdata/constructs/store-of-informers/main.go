// The program's store of informers implements SharedInformerFactory's Start itself.
package main

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type pool struct {
	client    cache.ListerWatcher
	running   sync.WaitGroup
	informers map[string]cache.SharedIndexInformer
}

func (p *pool) get(name string, obj runtime.Object) cache.SharedIndexInformer {
	if p.informers[name] == nil {
		p.informers[name] = cache.NewSharedIndexInformer(p.client, obj, 0, cache.Indexers{})
	}
	return p.informers[name]
}

func (p *pool) start(ctx context.Context) {
	for _, informer := range p.informers {
		p.running.Go(func() { informer.RunWithContext(ctx) })
	}
	p.running.Wait()
}

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	p := &pool{client: cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything()), informers: map[string]cache.SharedIndexInformer{}}
	fmt.Println(p.get("pods", &corev1.Pod{}).HasSynced())
	p.start(context.Background())
}
