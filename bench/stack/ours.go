package stack

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1unstructured "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	thinformer "github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// SlimPod is a pod with the eight fields that its user wants.
type SlimPod struct {
	rest.SlimMeta `json:"metadata"`
	Spec          struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase  corev1.PodPhase `json:"phase"`
		HostIP string          `json:"hostIP"`
		PodIP  string          `json:"podIP"`
	} `json:"status"`
}

type ours[T rest.Object] struct {
	informer *thinformer.SharedInformer[T]
	handler  *thinformer.Registration
}

func openOurs(q question, c calls) informer {
	switch q.As {
	case asTyped:
		return open[*corev1.Pod](q, c)
	case asUnstructured:
		return open[*metav1unstructured.Unstructured](q, c)
	}
	return open[*SlimPod](q, c)
}

func open[T rest.Object](q question, c calls) informer {
	config := &rest.Config{Host: q.URL, AcceptContentTypes: string(q.Encoding)}
	config.Decode.KeepManagedFields = q.Layered // as package cache does
	if q.ShareStrings {
		config.Decode.ShareStrings = rest.ShareAlways
	}
	view := rest.NewView[T](must(rest.New(config)), rest.ResourceInfo{GroupVersionResource: podsResource, Kind: "Pod", Namespaced: true})
	o := ours[T]{informer: thinformer.New(view, thinformer.Options[T]{})}
	o.handler = must(o.informer.AddEventHandler(thinformer.ResourceEventHandlerFuncs[T]{
		AddFunc:    func(T, bool) { c.added() },
		UpdateFunc: func(_, object T) { c.updated(object) },
	}, thinformer.HandlerOptions{MaxPending: -1}))
	go func() { check(o.informer.Run(context.Background())) }()
	return o
}

func (o ours[T]) Sync() { <-o.handler.Synced() }

func (o ours[T]) Each(visit func(object any)) {
	for object := range o.informer.All() {
		visit(object)
	}
}
