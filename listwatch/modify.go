package listwatch

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// Modify returns source with modify applied to the options of every list and
// every watch. modify receives a copy of the caller's options and may be called
// from several goroutines at once. A nil modify changes nothing.
//
// The result has the ResourceInfo, the WatchListRecorder and the VersionOrder of
// source. It does not have the Identity of source, because functions cannot be
// compared: each result of Modify and Select is a separate source. Check calls
// modify with empty options.
func Modify[T any](source ListerWatcher[T], modify func(*metav1.ListOptions)) *ListWatch[T] {
	if modify == nil {
		modify = func(*metav1.ListOptions) {}
	}
	return &ListWatch[T]{
		source: source,
		modify: modify,
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

// Select returns source restricted to the objects that match both selectors; a
// nil selector matches all. Selectors in the options apply as well.
func Select[T any](source ListerWatcher[T], label labels.Selector, field fields.Selector) *ListWatch[T] {
	labelText, labelErr := selectorString(label)
	fieldText, fieldErr := selectorString(field)
	if err := errors.Join(labelErr, fieldErr); err != nil {
		return &ListWatch[T]{
			source:    source,
			err:       err,
			ListFunc:  func(context.Context, metav1.ListOptions) (*List[T], error) { return nil, err },
			WatchFunc: func(context.Context, metav1.ListOptions) (*Watch[T], error) { return nil, err },
		}
	}
	return Modify(source, func(opts *metav1.ListOptions) {
		opts.LabelSelector = joinSelectors(opts.LabelSelector, labelText)
		opts.FieldSelector = joinSelectors(opts.FieldSelector, fieldText)
	})
}

// selectorString returns the string of a selector as it is sent to a server.
func selectorString(selector interface {
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

// joinSelectors joins two selectors, each of which may be empty, so that both
// must match.
func joinSelectors(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "," + b
}
