package reconcile

import (
	"context"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clientrest "k8s.io/client-go/rest"
	clientqueue "k8s.io/client-go/util/workqueue"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/workqueue"
)

// Functions that have types of cache, and the informers of interop, go into the
// options of a cache of controller-runtime, and the cache works with them.
func TestControllerRuntimeCacheTakesOurFunctions(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	for _, name := range []string{"chosen", "other"} {
		apitest.Create(t, srv, &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{"name": name}},
			Data:       map[string]string{"word": "long"},
		})
	}
	var transform cache.TransformFunc = func(obj any) (any, error) {
		obj.(*corev1.ConfigMap).Data = map[string]string{"word": "short"}
		return obj, nil
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	config := srv.Config()
	reads, err := runtimecache.New(&clientrest.Config{Host: config.Host, TLSClientConfig: clientrest.TLSClientConfig{CAData: config.TLS.CAData}}, runtimecache.Options{
		Mapper:           mapper,
		DefaultTransform: transform,
		NewInformer:      interop.NewSharedIndexInformer,
		ByObject: map[client.Object]runtimecache.ByObject{
			&corev1.ConfigMap{}: {Transform: transform, Label: labels.SelectorFromSet(labels.Set{"name": "chosen"})},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { check(reads.Start(ctx)) })
	defer func() { stop(); running.Wait() }()

	if !reads.WaitForCacheSync(ctx) {
		t.Fatal("the cache has not started")
	}
	var list corev1.ConfigMapList
	if err := reads.List(ctx, &list, client.InNamespace("shop")); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Name != "chosen" || list.Items[0].Data["word"] != "short" {
		t.Errorf("listed %v, want chosen alone, with a short word", list.Items)
	}
}

// The transforms of controller-runtime go into an informer of cache.
func TestInformerTakesTransformsOfControllerRuntime(t *testing.T) {
	inf := cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.ConfigMap{}, 0, cache.Indexers{})
	if err := inf.SetTransform(runtimecache.TransformStripManagedFields()); err != nil {
		t.Error(err)
	}
}

// Options.NewQueue names interfaces of client-go. A queue of workqueue is one of
// them, and takes a rate limiter that is typed by them.
func TestControllerRuntimeTakesOurQueue(t *testing.T) {
	options := controller.Options{
		RateLimiter: workqueue.DefaultTypedControllerRateLimiter[reconcile.Request](),
		NewQueue: func(name string, limiter clientqueue.TypedRateLimiter[reconcile.Request]) clientqueue.TypedRateLimitingInterface[reconcile.Request] {
			return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{Name: name})
		},
	}
	queue := options.NewQueue("mixed", options.RateLimiter)
	defer queue.ShutDown()
	queue.Add(reconcile.Request{})
	if _, shutdown := queue.Get(); shutdown {
		t.Error("the queue is shut down")
	}
}
