package listwatch_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// recorder is a source that records the options of its requests.
type recorder struct{ listed, watched []metav1.ListOptions }

func (r *recorder) List(_ context.Context, opts metav1.ListOptions) (*listwatch.List[int], error) {
	r.listed = append(r.listed, opts)
	return rest.ListOf("7", 1, 2, 3), nil
}

func (r *recorder) Watch(_ context.Context, opts metav1.ListOptions) (*listwatch.Watch[int], error) {
	r.watched = append(r.watched, opts)
	return rest.NewWatch(func(context.Context) (listwatch.Event[int], error) {
		return listwatch.Event[int]{}, io.EOF
	}, func() {}), nil
}

// sentOptions sends a list and a watch and returns the options that the source
// received.
func sentOptions(t *testing.T, lw listwatch.ListerWatcher[int], source *recorder, opts metav1.ListOptions) (list, watch metav1.ListOptions) {
	t.Helper()
	l, err := lw.List(t.Context(), opts)
	require.NoError(t, err)
	items, err := l.Slice()
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3}, items)
	require.Equal(t, "7", l.ResourceVersion())
	w, err := lw.Watch(t.Context(), opts)
	require.NoError(t, err)
	_, err = w.Next(t.Context())
	require.Equal(t, io.EOF, err)
	w.Stop()
	return source.listed[len(source.listed)-1], source.watched[len(source.watched)-1]
}

// Promise: a modifier applies to both List and Watch.
func TestModifierAppliesToListAndWatch(t *testing.T) {
	source := &recorder{}
	lw := listwatch.Modify(source, func(opts *metav1.ListOptions) { opts.LabelSelector = "a=b" })
	given := metav1.ListOptions{ResourceVersion: "5", FieldSelector: "x=y"}
	list, watch := sentOptions(t, lw, source, given)
	want := metav1.ListOptions{ResourceVersion: "5", FieldSelector: "x=y", LabelSelector: "a=b"}
	require.Equal(t, want, list)
	require.Equal(t, want, watch)
	require.Empty(t, given.LabelSelector, "the options of the caller are not changed")
}

func TestNilModifierChangesNothing(t *testing.T) {
	source := &recorder{}
	list, watch := sentOptions(t, listwatch.Modify(source, nil), source, metav1.ListOptions{Limit: 3})
	require.Equal(t, metav1.ListOptions{Limit: 3}, list)
	require.Equal(t, metav1.ListOptions{Limit: 3}, watch)
}

// Promise: Select adds its selectors to those of the options.
func TestSelectAddsSelectors(t *testing.T) {
	label := labels.SelectorFromSet(labels.Set{"app": "web"})
	field := fields.OneTermEqualSelector("spec.nodeName", "n1")
	for _, c := range []struct {
		name        string
		label       labels.Selector
		field       fields.Selector
		given, want metav1.ListOptions
	}{
		{"label and field", label, field, metav1.ListOptions{}, metav1.ListOptions{LabelSelector: "app=web", FieldSelector: "spec.nodeName=n1"}},
		{"options with selectors", label, field,
			metav1.ListOptions{LabelSelector: "tier=1", FieldSelector: "metadata.name=x"},
			metav1.ListOptions{LabelSelector: "tier=1,app=web", FieldSelector: "metadata.name=x,spec.nodeName=n1"}},
		{"nil", nil, nil, metav1.ListOptions{LabelSelector: "tier=1"}, metav1.ListOptions{LabelSelector: "tier=1"}},
		{"everything", labels.Everything(), fields.Everything(), metav1.ListOptions{}, metav1.ListOptions{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := &recorder{}
			list, watch := sentOptions(t, listwatch.Select(source, c.label, c.field), source, c.given)
			require.Equal(t, c.want, list)
			require.Equal(t, c.want, watch)
		})
	}
}

// A selector of nothing has an empty string form. A server would select everything
// for it.
func TestSelectorOfNothingIsAnError(t *testing.T) {
	source := &recorder{}
	for name, lw := range map[string]*listwatch.ListWatch[int]{
		"labels": listwatch.Select(source, labels.Nothing(), nil),
		"fields": listwatch.Select(source, nil, fields.Nothing()),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := lw.List(t.Context(), metav1.ListOptions{})
			require.ErrorIs(t, err, listwatch.ErrSelectsNothing)
			_, err = lw.Watch(t.Context(), metav1.ListOptions{})
			require.ErrorIs(t, err, listwatch.ErrSelectsNothing)
		})
	}
	require.Empty(t, source.listed)
	require.Empty(t, source.watched)
}

func TestMissingFuncIsAnError(t *testing.T) {
	lw := &listwatch.ListWatch[int]{}
	_, err := lw.List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, listwatch.ErrNoFunc)
	require.ErrorContains(t, err, "ListFunc")
	_, err = lw.Watch(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, listwatch.ErrNoFunc)
	require.ErrorContains(t, err, "WatchFunc")
}

// A nil result without an error is an error, so that callers do not range over nil.
func TestNilResultIsAnError(t *testing.T) {
	empty := &listwatch.ListWatch[int]{
		ListFunc:  func(context.Context, metav1.ListOptions) (*listwatch.List[int], error) { return nil, nil },
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[int], error) { return nil, nil },
	}
	for name, lw := range map[string]*listwatch.ListWatch[int]{"functions": empty, "modified": listwatch.Modify(empty, nil)} {
		_, err := lw.List(t.Context(), metav1.ListOptions{})
		require.ErrorIs(t, err, listwatch.ErrNilResult, name)
		_, err = lw.Watch(t.Context(), metav1.ListOptions{})
		require.ErrorIs(t, err, listwatch.ErrNilResult, name)
	}
}
