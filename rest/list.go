package rest

import (
	"errors"
	"iter"
	"sync/atomic"
)

// List is a list that is decoded while it arrives: its items are decoded one by
// one, across all pages, and are not kept in memory by the List.
type List[T any] struct {
	items   iter.Seq2[T, error]
	version func() string
	// cancel ends a read in progress, and may be called at any time; close releases
	// a list that is not being read. Both may be nil.
	cancel, close func()

	consumed atomic.Bool // Items or Close has been called
	complete atomic.Bool // all items have been yielded
}

// NewList returns a List of a sequence. version is called after the end of items
// and returns the version of the collection.
func NewList[T any](items iter.Seq2[T, error], version func() string) *List[T] {
	return &List[T]{items: items, version: version}
}

// ListOf returns a List of the given items.
func ListOf[T any](version string, items ...T) *List[T] {
	return NewList(func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}, func() string { return version })
}

// Items yields the items, once. Leaving the loop early releases the connection.
//
// Two errors do not end the sequence: an [*ItemError] reports one item that could
// not be decoded, and the next one follows; after [ErrRestarted] the whole list
// follows again. A caller may stop at the first error of any kind. Any other error
// is the last element of the sequence.
func (l *List[T]) Items() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if l.consumed.Swap(true) {
			var zero T
			yield(zero, ErrListConsumed)
			return
		}
		if l.close != nil {
			defer l.close()
		}
		complete := true
		l.items(func(item T, err error) bool {
			continues := err == nil || isItemError(err) || errors.Is(err, ErrRestarted)
			complete = yield(item, err) && continues
			return complete
		})
		l.complete.Store(complete)
	}
}

// Slice reads the list to its end and returns the items. It handles restarts. On
// any other error it returns no items.
func (l *List[T]) Slice() ([]T, error) {
	var all []T
	for item, err := range l.Items() {
		if errors.Is(err, ErrRestarted) {
			clear(all)
			all = all[:0]
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// ResourceVersion returns the version of the collection, at which a watch can
// begin. It is "" until Items has ended without an error.
func (l *List[T]) ResourceVersion() string {
	if !l.complete.Load() {
		return ""
	}
	return l.version()
}

// Close releases a list that is not being read, and ends one that is: Items then
// yields an error, unless it has yielded everything. It may be called at any time,
// more than once, and from any goroutine.
func (l *List[T]) Close() {
	if unread := !l.consumed.Swap(true); unread && l.close != nil {
		l.close()
		return
	}
	if l.cancel != nil {
		l.cancel()
	}
}
