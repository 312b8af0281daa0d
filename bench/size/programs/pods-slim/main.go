// Command pods-slim is pods-typed with a slim type, which has only the fields that the
// program reads.
package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/bench/size/probe"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/workqueue"
)

// Pod has the fields that this program reads.
type Pod struct {
	rest.SlimMeta `json:"metadata"`
	Spec          struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
}

var podInfo = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: "Pod", Namespaced: true}

func main() {
	p := probe.Begin()
	client, err := rest.New(&rest.Config{Host: p.Address()})
	probe.Check(err)
	pods := informer.New(rest.NewView[*Pod](client, podInfo), informer.Options[*Pod]{})
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	enqueue := func(pod *Pod) { queue.Add(pod.Namespace + "/" + pod.Name) }
	_, err = pods.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
		AddFunc:    func(pod *Pod, _ bool) { enqueue(pod); p.Added() },
		UpdateFunc: func(_, pod *Pod) { enqueue(pod); p.Updated() },
		DeleteFunc: func(pod *Pod, _ bool) { enqueue(pod) },
	}, informer.HandlerOptions{MaxPending: -1})
	probe.Check(err)
	ctx := context.Background()
	go func() { probe.Check(pods.Run(ctx)) }()
	probe.Check(pods.WaitForSync(ctx))
	for key, shutdown := queue.Get(); !shutdown; key, shutdown = queue.Get() {
		if pod, exists := pods.Get(key); exists && pod.Spec.NodeName == "" {
			queue.AddRateLimited(key)
		}
		queue.Forget(key)
		queue.Done(key)
	}
}
