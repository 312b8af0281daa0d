package factory

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientcache "k8s.io/client-go/tools/cache"
)

// Shared is a factory as the packages of a generated factory's groups use it: one of this
// package, of the generator, or of the program. F is the type of the functions that create
// an informer.
type Shared[F any] interface {
	Start(stopCh <-chan struct{})
	InformerFor(obj runtime.Object, newInformer F) clientcache.SharedIndexInformer
}

// View is a factory as its groups see it: with a namespace, and with a function that changes
// the options of every list and watch. It shares the informers of the factory.
type View[C any, F ~func(C, time.Duration) clientcache.SharedIndexInformer] struct {
	factory   Shared[F]
	own       *Factory[C, F] // the factory, if it is of this package
	namespace string
	tweak     func(*metav1.ListOptions)
}

// In returns a view of any factory. The factory keeps the first informer of each type, which
// may be of another view.
func In[C any, F ~func(C, time.Duration) clientcache.SharedIndexInformer](factory Shared[F], namespace string, tweak func(*metav1.ListOptions)) *View[C, F] {
	v := &View[C, F]{factory: factory, namespace: namespace, tweak: tweak}
	if engine, ok := factory.(interface{ engine() *Factory[C, F] }); ok {
		v.own = engine.engine()
	}
	return v
}

// ViewOf returns the view with the options of the factory.
func ViewOf[C any, F ~func(C, time.Duration) clientcache.SharedIndexInformer](factory *Factory[C, F]) *View[C, F] {
	return &factory.view
}

// Namespace returns the namespace of the informers, empty for all.
func (v *View[C, F]) Namespace() string { return v.namespace }

// TweakListOptions returns the function that changes the options, or nil.
func (v *View[C, F]) TweakListOptions() func(*metav1.ListOptions) { return v.tweak }

// Start starts the informers of the factory.
func (v *View[C, F]) Start(stopCh <-chan struct{}) { v.factory.Start(stopCh) }

// InformerName returns the name of the factory's informers, or nil.
func (v *View[C, F]) InformerName() *clientcache.InformerName {
	if named, ok := v.factory.(interface {
		InformerName() *clientcache.InformerName
	}); ok {
		return named.InformerName()
	}
	return nil
}

// InformerFor returns the factory's informer of the type of obj. If there is none, the table
// creates it; newInformer, which is generated code, creates only those that the table lacks.
// Kinds is called only then.
func (v *View[C, F]) InformerFor(obj runtime.Object, newInformer F, kinds func() []Kind[C]) clientcache.SharedIndexInformer {
	object := reflect.TypeOf(obj)
	if v.own != nil {
		return v.own.informerFor(object, func(client C, resync time.Duration) clientcache.SharedIndexInformer {
			return v.create(object, newInformer, kinds, client, resync)
		})
	}
	return v.factory.InformerFor(obj, func(client C, resync time.Duration) clientcache.SharedIndexInformer {
		return v.create(object, newInformer, kinds, client, resync)
	})
}

func (v *View[C, F]) create(object reflect.Type, newInformer F, kinds func() []Kind[C], client C, resync time.Duration) clientcache.SharedIndexInformer {
	if kind, known := find(kinds(), object); known {
		return v.fromTable(kind, client, resync)
	}
	return newInformer(client, resync)
}

func (v *View[C, F]) fromTable(kind Kind[C], client C, resync time.Duration) clientcache.SharedIndexInformer {
	return kind.newInformer(client, informerOptions{
		namespace: v.namespace, tweak: v.tweak, resync: resync, name: v.InformerName(),
		indexers: clientcache.Indexers{clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc},
	})
}
