package resourcetest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"
)

// Factory has the methods of the factories of client-go's dynamic and metadata clients.
type Factory interface {
	Start(stopCh <-chan struct{})
	ForResource(gvr schema.GroupVersionResource) informers.GenericInformer
	WaitForCacheSync(stopCh <-chan struct{}) map[schema.GroupVersionResource]bool
	Shutdown()
}

// Tweak changes the options of lists and watches.
type Tweak = func(*metav1.ListOptions)

// Library is one of the packages with such factories. C is the interface of the clients.
type Library[C any] struct {
	Client   func(*rest.Config) (C, error)
	All      func(C, time.Duration) Factory
	Filtered func(C, time.Duration, string, Tweak) Factory
	Single   func(C, schema.GroupVersionResource, string, time.Duration, clientcache.Indexers, Tweak) informers.GenericInformer
}

// Libraries are client-go's package and ours. Ours has a second one, whose clients let this
// module decode the responses.
type Libraries[C any] struct{ ClientGo, Ours, Decoding Library[C] }

func (l Libraries[C]) inOrder(yield func(name string, library Library[C]) bool) {
	_ = yield("client-go", l.ClientGo) && yield("ours", l.Ours) && yield("our client", l.Decoding)
}
