package decode

import (
	"context"

	jsoniter "github.com/json-iterator/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/bench/wire"
)

// clientset is client-go's typed client.
type clientset struct{ pods corev1client.PodInterface }

func theirsTyped(form wire.Encoding) dial {
	return func(transport *answer) client {
		transport.contentType = form
		config := &rest.Config{Host: "http://server", Transport: transport, QPS: -1}
		config.ContentType = string(form)
		return clientset{must(corev1client.NewForConfig(config)).Pods("")}
	}
}

func (c clientset) List() []any {
	list := must(c.pods.List(context.Background(), metav1.ListOptions{}))
	kept := make([]any, len(list.Items))
	for i := range list.Items {
		kept[i] = &list.Items[i]
	}
	return kept
}

func (c clientset) Watch() []any {
	return received(c.pods.Watch(context.Background(), metav1.ListOptions{}))
}

func received(stream watch.Interface, err error) (kept []any) {
	defer must(stream, err).Stop()
	for event := range stream.ResultChan() {
		if event.Type != watch.Modified {
			panic(event)
		}
		kept = append(kept, event.Object)
	}
	return kept
}

// dynamicClient is client-go's dynamic client.
type dynamicClient struct{ pods dynamic.ResourceInterface }

func theirsUnstructured() dial {
	return func(transport *answer) client {
		transport.contentType = asJSON
		config := &rest.Config{Host: "http://server", Transport: transport, QPS: -1}
		return dynamicClient{must(dynamic.NewForConfig(config)).Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"})}
	}
}

func (c dynamicClient) List() []any {
	list := must(c.pods.List(context.Background(), metav1.ListOptions{}))
	kept := make([]any, len(list.Items))
	for i := range list.Items {
		kept[i] = &list.Items[i]
	}
	return kept
}

func (c dynamicClient) Watch() []any {
	return received(c.pods.Watch(context.Background(), metav1.ListOptions{}))
}

// skim decodes the metadata of a list with json-iterator, without client-go.
type skim struct{ transport *answer }

func theirsSkim() dial {
	return func(transport *answer) client {
		transport.contentType = asJSON
		return skim{transport}
	}
}

var caseSensitive = jsoniter.Config{EscapeHTML: true, CaseSensitive: true}.Froze()

func (s skim) List() []any {
	var list struct {
		metav1.ListMeta `json:"metadata"`
		Items           []metav1.PartialObjectMetadata `json:"items"`
	}
	check(caseSensitive.Unmarshal(s.transport.read(), &list))
	kept := make([]any, len(list.Items))
	for i := range list.Items {
		kept[i] = &list.Items[i]
	}
	return kept
}

func (skim) Watch() []any { panic("Watch is not implemented: the case decodes lists") }
