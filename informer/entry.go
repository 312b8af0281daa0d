package informer

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// entry is one informer and who uses it; guarded by the factory's mu.
type entry struct {
	informer managed
	// options are a *Options of the informer's type, as they were given.
	options any
	key     sharingKey
	// users is how many handles have not been released.
	users int
	// ctx is what the informer runs with, and cancel ends it; nil before it is
	// started.
	ctx    context.Context
	cancel context.CancelFunc
	// over: it has ended.
	over bool
}

// ending: it has ended, or is going to, and waits for its handlers maybe.
func (e *entry) ending() bool { return e.ctx != nil && e.ctx.Err() != nil }

// newEntry makes an informer of its own, in case there is none to share.
func newEntry[T rest.Object](f FactoryOptions, source Source[T], o Options[T]) (e *entry, shareable bool) {
	e = &entry{options: &o}
	merged := withDefaults(f, o)
	err := wrongWithType[T]()
	if err == nil {
		err = wrongWith[T](source)
	}
	namespace := ""
	if err == nil {
		namespace = namespaceOf(source, f.Namespace)
		source, err = inNamespace(source, namespace)
	}
	if err == nil {
		options := listOptions(merged.Tweak)
		if merged.Name == "" {
			merged.Name = nameOfShared(source, namespace, options)
		}
		e.key, shareable = keyOf(source, options)
	}
	made := newShared(source, Parts[T]{MetaFunc: metaOf[T]}, merged)
	made.err = err
	// A handle of nobody: whoever gets at it by its type is not to run it.
	e.informer = &SharedInformer[T]{shared: made, handle: &handle{letGo: func() {}}}
	return e, shareable
}

// join adds a user to the informer that is there, or else adds e.
func join[T rest.Object](f *Factory, e *entry, shareable bool) (*entry, *SharedInformer[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	mine := e.informer.(*SharedInformer[T]).shared
	if f.stopped {
		mine.err = ErrStopped
		return e, &SharedInformer[T]{shared: mine}
	}
	if there := f.shared[e.key]; there != nil && !there.ending() {
		err := compatible(there.options.(*Options[T]), e.options.(*Options[T]))
		if err == nil {
			there.users++
			return there, &SharedInformer[T]{shared: there.informer.(*SharedInformer[T]).shared}
		}
		mine.err, shareable = fmt.Errorf("%s: %w", mine.name, err), false
	}
	if shareable {
		f.shared[e.key] = e
	}
	e.users = 1
	f.entries = append(f.entries, e)
	return e, &SharedInformer[T]{shared: mine}
}

// withDefaults are the options of an informer, and the factory's.
func withDefaults[T rest.Object](f FactoryOptions, o Options[T]) Options[T] {
	if f.Tweak != nil {
		own := o.Tweak
		o.Tweak = func(options *metav1.ListOptions) {
			f.Tweak(options)
			if own != nil {
				own(options)
			}
		}
	}
	if f.Transform != nil {
		own := o.Transform
		o.Transform = func(obj T) (T, bool, error) {
			keep, err := f.Transform(obj)
			if err != nil || !keep || own == nil {
				return obj, keep, err
			}
			return own(obj)
		}
	}
	if o.WatchErrorHandler == nil {
		o.WatchErrorHandler = f.WatchErrorHandler
	}
	if o.MutationGuard == nil {
		o.MutationGuard = f.MutationGuard
	}
	if o.Logger == nil {
		o.Logger = f.Logger
	}
	if o.Trace == nil {
		o.Trace = f.Trace
	}
	return o
}
