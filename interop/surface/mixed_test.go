//lint:file-ignore SA1019 The types of deprecated fields are aliases as well.

package surface

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientrest "k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"
	clientqueue "k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/workqueue"
)

// A program that uses both libraries compiles: a function of a type of cache can be passed
// to client-go.
func TestFunctionTypesOfCacheFitClientGo(t *testing.T) {
	var (
		transform cache.TransformFunc       = func(obj any) (any, error) { return obj, nil }
		key       cache.KeyFunc             = cache.MetaNamespaceKeyFunc
		index     cache.IndexFunc           = cache.MetaNamespaceIndexFunc
		synced    cache.InformerSynced      = func() bool { return true }
		appended  cache.AppendFunc          = func(any) {}
		less      cache.LessFunc            = func(any, any) bool { return false }
		resync    cache.ShouldResyncFunc    = func() bool { return false }
		process   cache.ProcessFunc         = func(any, bool) error { return nil }
		pop       cache.PopProcessFunc      = func(any, bool) error { return nil }
		piece     workqueue.DoWorkPieceFunc = func(int) {}
		source                              = &cache.ListWatch{}
	)
	factory := informers.NewSharedInformerFactoryWithOptions(fake.NewClientset(), 0, informers.WithTransform(transform))
	if err := factory.Core().V1().Pods().Informer().SetTransform(transform); err != nil {
		t.Error(err)
	}
	store := clientcache.NewIndexer(key, clientcache.Indexers{"namespace": index})
	if !clientcache.WaitForCacheSync(t.Context().Done(), synced) {
		t.Error("not synced")
	}
	if err := clientcache.ListAll(store, labels.Everything(), appended); err != nil {
		t.Error(err)
	}
	_ = clientcache.NewHeap(key, less)
	_ = clientcache.Config{ShouldResync: resync, Process: process}
	_ = clientcache.ListWatch{
		ListFunc: source.ListFunc, ListWithContextFunc: source.ListWithContextFunc,
		WatchFunc: source.WatchFunc, WatchFuncWithContext: source.WatchFuncWithContext,
	}
	var queue clientcache.Queue = clientcache.NewDeltaFIFOWithOptions(clientcache.DeltaFIFOOptions{KeyFunction: key})
	if err := queue.Add(&corev1.Pod{}); err != nil {
		t.Error(err)
	}
	if _, err := queue.Pop(clientcache.PopProcessFunc(pop)); err != nil {
		t.Error(err)
	}
	clientqueue.ParallelizeUntil(t.Context(), 1, 1, piece)
}

// The reverse: a function of a type of client-go, and a value that implements one of its
// interfaces, can be passed to cache and workqueue.
func TestValuesOfClientGoFitCache(t *testing.T) {
	var (
		transform clientcache.TransformFunc        = func(obj any) (any, error) { return obj, nil }
		key       clientcache.KeyFunc              = clientcache.MetaNamespaceKeyFunc
		index     clientcache.IndexFunc            = clientcache.MetaNamespaceIndexFunc
		synced    clientcache.InformerSynced       = func() bool { return true }
		appended  clientcache.AppendFunc           = func(any) {}
		resync    clientcache.ShouldResyncFunc     = func() bool { return false }
		process   clientcache.ProcessFunc          = func(any, bool) error { return nil }
		pop       clientcache.PopProcessFunc       = func(any, bool) error { return nil }
		piece     clientqueue.DoWorkPieceFunc      = func(int) {}
		source    clientcache.ListerWatcher        = &clientcache.ListWatch{}
		handler   clientcache.ResourceEventHandler = clientcache.ResourceEventHandlerFuncs{}
	)
	informer := cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, cache.Indexers{"namespace": index})
	if err := informer.SetTransform(transform); err != nil {
		t.Error(err)
	}
	if _, err := informer.AddEventHandler(handler); err != nil {
		t.Error(err)
	}
	var store clientcache.Store = cache.NewStore(key)
	if err := cache.ListAll(clientcache.NewStore(key), labels.Everything(), appended); err != nil {
		t.Error(err)
	}
	if err := clientcache.ListAll(store, labels.Everything(), appended); err != nil {
		t.Error(err)
	}
	if !cache.WaitForCacheSync(t.Context().Done(), synced) {
		t.Error("not synced")
	}
	_ = cache.Config{ShouldResync: resync, Process: process}
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: key})
	if err := queue.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0"}}); err != nil {
		t.Error(err)
	}
	if _, err := queue.Pop(pop); err != nil {
		t.Error(err)
	}
	workqueue.ParallelizeUntil(t.Context(), 1, 1, piece)
}

// Getter can be used as a type.
func TestGetterAsAType(t *testing.T) {
	clientset, err := kubernetes.NewForConfig(&clientrest.Config{Host: "http://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	var client cache.Getter[*clientrest.Request] = clientset.CoreV1().RESTClient()
	if lw := cache.NewListWatchFromClient(client, "pods", "ns", fields.Everything()); lw.ListFunc == nil {
		t.Error("no functions")
	}
}
