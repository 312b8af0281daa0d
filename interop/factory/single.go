package factory

import (
	"fmt"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientcache "k8s.io/client-go/tools/cache"
)

// NewInformer returns an informer of the kind with the Go type T that belongs to no
// factory, as the constructors in the packages of a generated factory's groups do. Tweak
// may be nil. It panics if the table lacks the kind.
func NewInformer[T runtime.Object, C any](client C, kinds []Kind[C], namespace string, resync time.Duration, indexers clientcache.Indexers, tweak func(*metav1.ListOptions)) clientcache.SharedIndexInformer {
	kind, known := find(kinds, reflect.TypeFor[T]())
	if !known {
		panic(fmt.Sprintf("NewInformer[%v]: the factory has no kind of this type; use interop.NewSharedIndexInformer", reflect.TypeFor[T]()))
	}
	return kind.newInformer(client, informerOptions{namespace: namespace, tweak: tweak, resync: resync, indexers: indexers})
}
