package cache

import (
	"iter"
	"log/slog"
	"slices"

	"github.com/thinformer/thinformer/deltafifo"
)

// knownBy is what a store knows, as the room beneath asks for it: nil if there is
// none. Of our own stores nothing is copied.
func knownBy(store KeyListerGetter, logger *slog.Logger) deltafifo.KnownObjects[any] {
	if store == nil {
		return nil
	}
	if own, ok := store.(*indexerOf[any]); ok {
		return own.ix
	}
	return foreignStore{store: store, logger: logger}
}

// foreignStore is a KeyListerGetter of somebody else's.
type foreignStore struct {
	store  KeyListerGetter
	logger *slog.Logger
}

// Get returns nil for an object that is there and cannot be read: when it goes,
// its tombstone is empty.
func (s foreignStore) Get(key string) (any, bool) {
	obj, exists, err := s.store.GetByKey(key)
	if err != nil {
		s.logger.Error("What a queue has to know of an object cannot be read", "key", key, "err", err)
		return nil, true
	}
	return obj, exists
}

func (s foreignStore) Keys() iter.Seq[string] { return slices.Values(s.store.ListKeys()) }
