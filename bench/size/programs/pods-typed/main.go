// Command pods-typed is pods-listwatch without the untyped layer: an informer of
// *v1.Pod and typed handlers.
package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/thinformer/thinformer/bench/size/probe"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/workqueue"
)

var podInfo = rest.ResourceInfo{GroupVersionResource: corev1.SchemeGroupVersion.WithResource("pods"), Kind: "Pod", Namespaced: true}

func main() {
	p := probe.Begin()
	client, err := rest.New(&rest.Config{Host: p.Address()})
	probe.Check(err)
	pods := informer.New(rest.NewView[*corev1.Pod](client, podInfo), informer.Options[*corev1.Pod]{})
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	enqueue := func(pod *corev1.Pod) { queue.Add(pod.Namespace + "/" + pod.Name) }
	_, err = pods.AddEventHandler(informer.ResourceEventHandlerFuncs[*corev1.Pod]{
		AddFunc:    func(pod *corev1.Pod, _ bool) { enqueue(pod); p.Added() },
		UpdateFunc: func(_, pod *corev1.Pod) { enqueue(pod); p.Updated() },
		DeleteFunc: func(pod *corev1.Pod, _ bool) { enqueue(pod) },
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
