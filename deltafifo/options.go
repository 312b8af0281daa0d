package deltafifo

import (
	"iter"
	"log/slog"

	"github.com/thinformer/thinformer/indexer"
	"k8s.io/apimachinery/pkg/types"
)

// Options configures a queue. Its zero value is a working default. None of the
// functions is called with a lock of the queue held.
type Options[T any] struct {
	// KeyFunc names an object. Default: [indexer.MetaNamespaceKeyFunc].
	KeyFunc func(T) (string, error)

	// MetaFunc reads the identity and the version of an object, "" for what it
	// does not have. It is asked about incoming objects before their transform
	// and about known ones after theirs: a transform that strips the UID or
	// the version switches off what depends on it. Default: none, and then
	// the UID rule is off, a Replace drops nothing as unchanged, and only
	// Bookmark and Replace move the version.
	MetaFunc func(T) (uid types.UID, version string)

	// KnownObjects is the store that the consumer fills with what it pops.
	// Default: none, and then an object is known only until it is processed.
	KnownObjects KnownObjects[T]

	// Transform changes an object before it is queued, or says by false that
	// it is not for the store. It runs once for each object that comes in,
	// except for the unchanged items of a Replace and for deletes of what is
	// not known, and never on an object that has been through it. An error or
	// a panic becomes a [TransformError]. Default: none.
	Transform func(T) (T, bool, error)

	// OnError hears of the errors that no call returns: those of single items
	// of a Replace that goes on without them. Default: the first few of each
	// Replace go to Logger, and a count of the rest.
	OnError func(key string, err error)

	// Logger serves the default OnError. Default: [slog.Default].
	Logger *slog.Logger
}

// KnownObjects tells what the consumer's store holds. The queue asks it with
// its lock held, so that no change is half way between queue and store: it must
// not call back into the queue, nor wait for somebody who does. It also calls
// Get while it ranges over Keys, so no lock may be held across the two.
type KnownObjects[T any] interface {
	Get(key string) (T, bool)
	Keys() iter.Seq[string]
}

func keyFuncOf[T any](o Options[T]) func(T) (string, error) {
	if o.KeyFunc == nil {
		return indexer.MetaNamespaceKeyFunc[T]
	}
	return func(obj T) (string, error) {
		if isNil(obj) {
			return "", indexer.ErrNilObject
		}
		return o.KeyFunc(obj)
	}
}
