package decode

import (
	"context"
	"errors"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/bench/wire"
	"github.com/thinformer/thinformer/rest"
)

// whole keeps all fields. noManaged skips the managed fields, as caches do.
var (
	whole     = rest.DecodeOptions{KeepManagedFields: true}
	noManaged = rest.DecodeOptions{}
)

// SlimPod has the fields that a controller that counts pods reads.
type SlimPod struct {
	SlimMeta `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase corev1.PodPhase `json:"phase"`
	} `json:"status"`
}

// SlimMeta is the metadata of a SlimPod.
type SlimMeta struct {
	rest.SlimMeta   `json:",inline"`
	Labels          map[string]string       `json:"labels"`
	OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
}

var pods = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: "Pod", Namespaced: true}

// view is our client for any type.
type view[T rest.Object] struct{ view *rest.View[T] }

func dialOurs[T rest.Object](form wire.Encoding, options rest.DecodeOptions) dial {
	return func(transport *answer) client {
		transport.contentType = form
		c := must(rest.New(&rest.Config{Host: "http://server", Transport: transport, Decode: options}))
		return view[T]{rest.NewView[T](c, pods)}
	}
}

func oursTyped(form wire.Encoding, options rest.DecodeOptions) dial {
	return dialOurs[*corev1.Pod](form, options)
}

func oursUnstructured(options rest.DecodeOptions) dial {
	return dialOurs[*unstructured.Unstructured](asJSON, options)
}

func oursSlim() dial     { return dialOurs[*SlimPod](asJSON, noManaged) }
func oursMetadata() dial { return dialOurs[*metav1.PartialObjectMetadata](asJSON, noManaged) }

func (v view[T]) List() []any {
	var kept []any
	for pod, err := range must(v.view.List(context.Background(), metav1.ListOptions{})).Items() {
		kept = append(kept, must(pod, err))
	}
	return kept
}

func (v view[T]) Watch() (kept []any) {
	stream := must(v.view.Watch(context.Background(), metav1.ListOptions{}))
	defer stream.Stop()
	for {
		event, err := stream.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return kept
		}
		if must(event, err).Type != watch.Modified {
			panic(event)
		}
		kept = append(kept, event.Object)
	}
}
