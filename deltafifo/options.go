package deltafifo

import (
	"iter"
	"log/slog"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"k8s.io/apimachinery/pkg/types"
)

// Options configures a queue. The zero value is a working default. None of the
// functions is called with a lock of the queue held, except those of
// KnownObjects.
type Options[T any] struct {
	// KeyFunc returns the key of an object. Default:
	// [indexer.MetaNamespaceKeyFunc].
	KeyFunc func(T) (string, error)

	// MetaFunc returns the UID and the version of an object, "" if it has none.
	// It is called for incoming objects before their transform and for known
	// objects after it: a transform that removes the UID or the version disables
	// the features that depend on it. Default: none; then UIDs are not compared,
	// a Replace skips no unchanged items, and only Bookmark and Replace advance
	// the version.
	MetaFunc func(T) (uid types.UID, version string)

	// KnownObjects is the store to which the consumer applies the deltas.
	// Default: none; then an object is known only until it is processed.
	KnownObjects KnownObjects[T]

	// Transform changes an object before it is queued, or returns false if the
	// object must not be stored. It is called once for each incoming object,
	// except unchanged items of a Replace and deletes of unknown objects, and
	// never for an object that it has already returned. An error or a panic
	// becomes a [TransformError]. Default: none.
	Transform func(T) (T, bool, error)

	// OnError is called with the errors of single items of a Replace, which
	// continues without them. Default: the first few errors of each Replace are
	// logged, and the number of the others.
	OnError func(key string, err error)

	// Logger is used by the default OnError. Default: [slog.Default].
	Logger *slog.Logger
}

// KnownObjects reads the consumer's store. The queue calls it with its lock
// held, so that every change is either in the queue or in the store. An
// implementation must not call the queue, nor wait for a goroutine that does.
// The queue calls Get while it ranges over Keys, so an implementation must not
// hold a lock that both need.
type KnownObjects[T any] interface {
	Get(key string) (T, bool)
	Keys() iter.Seq[string]
}

func keyFuncOf[T any](o Options[T]) func(T) (string, error) {
	if o.KeyFunc == nil {
		return indexer.MetaNamespaceKeyFunc[T]
	}
	return func(obj T) (string, error) {
		if nilcheck.IsNil(obj) {
			return "", indexer.ErrNilObject
		}
		return o.KeyFunc(obj)
	}
}
