package stack

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

type theirs struct {
	cache.SharedIndexInformer
	handler cache.ResourceEventHandlerRegistration
}

func openTheirs(q question, c calls) informer {
	config := &clientgo.Config{Host: q.URL, QPS: -1}
	config.ContentType = string(q.Encoding)
	var t theirs
	switch q.As {
	case asTyped:
		t.SharedIndexInformer = podInformer(must(corev1client.NewForConfig(config)))
	case asUnstructured:
		t.SharedIndexInformer = dynamicinformer.NewFilteredDynamicInformer(must(dynamic.NewForConfig(config)), podsResource, "", 0, nil, nil).Informer()
	default:
		panic("client-go has no slim types")
	}
	t.handler = must(t.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { c.added() },
		UpdateFunc: func(_, object any) { c.updated(object) },
	}))
	go t.RunWithContext(context.Background())
	return t
}

// podInformer returns the informer of the generated factory. The factory itself would
// require the whole clientset.
func podInformer(client *corev1client.CoreV1Client) cache.SharedIndexInformer {
	pods := client.Pods("")
	return cache.NewSharedIndexInformerWithOptions(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return pods.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return pods.Watch(ctx, options)
		},
	}, client), new(corev1.Pod), cache.SharedIndexInformerOptions{})
}

func (t theirs) Sync() { <-t.handler.HasSyncedChecker().Done() }

func (t theirs) Each(visit func(object any)) {
	for _, object := range t.GetStore().List() {
		visit(object)
	}
}
