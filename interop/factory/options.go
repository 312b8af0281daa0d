package factory

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcache "k8s.io/client-go/tools/cache"
)

// Option is an option of a Factory. The options have the names of those of generated
// factories.
type Option func(*options)

type options struct {
	namespace    string
	tweak        func(*metav1.ListOptions)
	customResync map[reflect.Type]time.Duration
	transform    clientcache.TransformFunc
	name         *clientcache.InformerName
}

// WithCustomResyncConfig sets the resync period of the types of the objects. Other types
// have the default of the factory. The configurations of several options are merged.
func WithCustomResyncConfig(config map[metav1.Object]time.Duration) Option {
	return func(o *options) {
		for object, period := range config {
			o.customResync[reflect.TypeOf(object)] = period
		}
	}
}

// WithTweakListOptions sets a function that changes the options of every list and watch.
func WithTweakListOptions(tweak func(*metav1.ListOptions)) Option {
	return func(o *options) { o.tweak = tweak }
}

// WithNamespace restricts the informers to one namespace, except those of kinds without
// namespaces.
func WithNamespace(namespace string) Option {
	return func(o *options) { o.namespace = namespace }
}

// WithTransform sets a function that changes the objects before they are stored, also
// those of informers that a function of the program creates.
func WithTransform(transform clientcache.TransformFunc) Option {
	return func(o *options) { o.transform = transform }
}

// WithInformerName sets the name that identifies the informers, each with its resource. The
// factory releases the name at Shutdown. The informers publish no metrics under it: they
// cannot read the provider that a program has given to client-go.
func WithInformerName(name *clientcache.InformerName) Option {
	return func(o *options) { o.name = name }
}
