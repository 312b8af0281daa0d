package factory

import (
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientcache "k8s.io/client-go/tools/cache"
)

// Inner is the factory that a group of a generated factory receives. It shares the
// informers of the Factory.
type Inner[C any, F ~func(C, time.Duration) clientcache.SharedIndexInformer] struct {
	*Factory[C, F]
	kinds []Kind[C]
}

// Inner returns the factory for the group with the kinds.
func (f *Factory[C, F]) Inner(kinds []Kind[C]) Inner[C, F] { return Inner[C, F]{f, kinds} }

// InformerFor returns the informer of the type of obj. The table creates it; newInformer,
// which is generated code, creates only those that the table lacks.
func (i Inner[C, F]) InformerFor(obj runtime.Object, newInformer F) clientcache.SharedIndexInformer {
	return i.informerFor(reflect.TypeOf(obj), func(object reflect.Type, resync time.Duration) clientcache.SharedIndexInformer {
		if kind, known := find(i.kinds, object); known {
			return i.fromTable(kind, resync)
		}
		return newInformer(i.client, resync)
	})
}
