package rest

import (
	"errors"
	"iter"
	"sync/atomic"
)

// List is a list as it arrives: its items are decoded one by one while the
// response is read, through all pages, and nothing holds them but the caller.
type List[T any] struct {
	items   iter.Seq2[T, error]
	version func() string
	// cancel ends a read that is under way, and may be called at any time; close
	// releases a list of which no read is. Both are nil where there is nothing
	// to do.
	cancel, close func()

	read  atomic.Bool // somebody has begun to read, or has closed it
	ended atomic.Bool // all items have been yielded
}

// NewList makes a List of a sequence; version is asked after the end of items
// and says which version of the collection they were.
func NewList[T any](items iter.Seq2[T, error], version func() string) *List[T] {
	return &List[T]{items: items, version: version}
}

// ListOf is a list of items that are at hand, for sources made by hand.
func ListOf[T any](version string, items ...T) *List[T] {
	return NewList(func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}, func() string { return version })
}

// Items ranges over the list, once. Leaving the loop early releases the
// connection.
//
// Two errors do not end the sequence: an [*ItemError] is one item that could
// not be decoded, and the next one follows; after [ErrRestarted] the whole list
// follows again. Whoever stops at the first error has lost nothing but the
// rest. Any other error is the last thing the sequence yields.
func (l *List[T]) Items() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if l.read.Swap(true) {
			var none T
			yield(none, ErrListConsumed)
			return
		}
		if l.close != nil {
			defer l.close()
		}
		whole := true
		l.items(func(item T, err error) bool {
			goesOn := err == nil || isItemError(err) || errors.Is(err, ErrRestarted)
			whole = yield(item, err) && goesOn
			return whole
		})
		l.ended.Store(whole)
	}
}

// Slice reads the list to its end and returns the items. A restart is taken
// care of. On the first error that is not a restart it returns no items.
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

// ResourceVersion is the version of the collection that the items were: where a
// watch goes on. It is valid once Items has ended without error, "" before.
func (l *List[T]) ResourceVersion() string {
	if !l.ended.Load() {
		return ""
	}
	return l.version()
}

// Close releases a list that is not read, and ends one that is being read:
// Items then yields an error, unless it has yielded everything. It may be called
// at any time, more than once, and from any goroutine.
func (l *List[T]) Close() {
	if unread := !l.read.Swap(true); unread && l.close != nil {
		l.close()
		return
	}
	if l.cancel != nil {
		l.cancel()
	}
}
