package informer

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// entry is one informer with its number of users. The factory's mu guards it.
type entry struct {
	informer factoryInformer
	// options is the *Options of the informer's type, as given to For.
	options any
	key     sharingKey
	// users is the number of handles that have not been released.
	users int
	// ctx is the context of the informer's Run. ctx and cancel are nil before the
	// start.
	ctx    context.Context
	cancel context.CancelFunc
	// ended: Run has returned.
	ended bool
}

// isEnding reports whether the informer has ended or is going to end. It may still
// wait for its handlers.
func (e *entry) isEnding() bool { return e.ctx != nil && e.ctx.Err() != nil }

// newEntry creates a new informer, for the case that there is none to share.
func newEntry[T rest.Object](f FactoryOptions, source Source[T], o Options[T]) (e *entry, shareable bool) {
	e = &entry{options: &o}
	merged := withDefaults(f, o)
	err := checkType[T]()
	if err == nil {
		err = checkSource[T](source)
	}
	if err == nil {
		source, err = inNamespace(source, namespaceOf(source, f.Namespace))
	}
	if err == nil {
		e.key, shareable = keyOf(source, tweakedListOptions(merged.TweakListOptions))
	}
	created := newShared(source, StoreConfig[T]{MetaFunc: metaOf[T]}, merged)
	created.err = err
	// The handle without a user keeps the caller of Informers from running it.
	e.informer = &SharedInformer[T]{shared: created, handle: &handle{onRelease: func() {}}}
	return e, shareable
}

// join adds a user to the existing informer for the same objects, or adds e.
func join[T rest.Object](f *Factory, e *entry, shareable bool) (*entry, *SharedInformer[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	created := e.informer.(*SharedInformer[T]).shared
	if f.stopped {
		created.err = ErrStopped
		return e, &SharedInformer[T]{shared: created}
	}
	if existing := f.shared[e.key]; existing != nil && !existing.isEnding() {
		err := compatible(existing.options.(*Options[T]), e.options.(*Options[T]))
		if err == nil {
			existing.users++
			return existing, &SharedInformer[T]{shared: existing.informer.(*SharedInformer[T]).shared}
		}
		created.err, shareable = fmt.Errorf("%s: %w", created.name, err), false
	}
	if shareable {
		f.shared[e.key] = e
	}
	e.users = 1
	f.entries = append(f.entries, e)
	return e, &SharedInformer[T]{shared: created}
}

// withDefaults returns the options of an informer combined with those of the
// factory.
func withDefaults[T rest.Object](f FactoryOptions, o Options[T]) Options[T] {
	if f.TweakListOptions != nil {
		ownOption := o.TweakListOptions
		o.TweakListOptions = func(options *metav1.ListOptions) {
			f.TweakListOptions(options)
			if ownOption != nil {
				ownOption(options)
			}
		}
	}
	if f.Transform != nil {
		ownOption := o.Transform
		o.Transform = func(obj T) (T, bool, error) {
			keep, err := f.Transform(obj)
			if err != nil || !keep || ownOption == nil {
				return obj, keep, err
			}
			return ownOption(obj)
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
