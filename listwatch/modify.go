package listwatch

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// Modify is source with modify applied to the options of every list and every
// watch. modify gets a copy of the caller's options; it may run on several
// goroutines at once. A nil modify changes nothing.
//
// What source says of itself survives: its ResourceInfo and its
// WatchListMemory. Its Identity does not, as what a function does to options
// cannot be compared: each result of Modify and Select is a source of its own.
func Modify[T any](source ListerWatcher[T], modify func(*metav1.ListOptions)) *ListWatch[T] {
	if modify == nil {
		modify = func(*metav1.ListOptions) {}
	}
	return &ListWatch[T]{
		beneath: source,
		ListFunc: func(ctx context.Context, opts metav1.ListOptions) (*List[T], error) {
			modify(&opts)
			return source.List(ctx, opts)
		},
		WatchFunc: func(ctx context.Context, opts metav1.ListOptions) (*Watch[T], error) {
			modify(&opts)
			return source.Watch(ctx, opts)
		},
	}
}

// Select is source narrowed to the objects that both selectors choose; nil
// chooses all. Selectors that are in the options already hold as well.
func Select[T any](source ListerWatcher[T], label labels.Selector, field fields.Selector) *ListWatch[T] {
	labelText, labelErr := written(label)
	fieldText, fieldErr := written(field)
	if err := errors.Join(labelErr, fieldErr); err != nil {
		return &ListWatch[T]{
			beneath:   source,
			ListFunc:  func(context.Context, metav1.ListOptions) (*List[T], error) { return nil, err },
			WatchFunc: func(context.Context, metav1.ListOptions) (*Watch[T], error) { return nil, err },
		}
	}
	return Modify(source, func(opts *metav1.ListOptions) {
		opts.LabelSelector = both(opts.LabelSelector, labelText)
		opts.FieldSelector = both(opts.FieldSelector, fieldText)
	})
}

// written is a selector as it is sent.
func written(selector interface {
	Empty() bool
	String() string
}) (string, error) {
	if selector == nil {
		return "", nil
	}
	text := selector.String()
	if text == "" && !selector.Empty() {
		return "", ErrSelectsNothing
	}
	return text, nil
}

// both joins two selectors, each of which may be empty, so that both must hold.
func both(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "," + b
}
