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

// recorder is a source that remembers what it was asked.
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

// both asks for a list and a watch and returns the options that arrived.
func both(t *testing.T, lw listwatch.ListerWatcher[int], source *recorder, opts metav1.ListOptions) (list, watch metav1.ListOptions) {
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

// Contract: selectors and optionsModifier apply to list and watch alike.
func TestModifierAppliesToListAndWatchAlike(t *testing.T) {
	source := &recorder{}
	lw := listwatch.Modify(source, func(opts *metav1.ListOptions) { opts.LabelSelector = "a=b" })
	given := metav1.ListOptions{ResourceVersion: "5", FieldSelector: "x=y"}
	list, watch := both(t, lw, source, given)
	want := metav1.ListOptions{ResourceVersion: "5", FieldSelector: "x=y", LabelSelector: "a=b"}
	require.Equal(t, want, list)
	require.Equal(t, want, watch)
	require.Empty(t, given.LabelSelector, "the caller's options are its own")
}

func TestNilModifierChangesNothing(t *testing.T) {
	source := &recorder{}
	list, watch := both(t, listwatch.Modify(source, nil), source, metav1.ListOptions{Limit: 3})
	require.Equal(t, metav1.ListOptions{Limit: 3}, list)
	require.Equal(t, metav1.ListOptions{Limit: 3}, watch)
}

// Contract: selectors that are in the options already hold as well.
func TestSelectNarrows(t *testing.T) {
	label := labels.SelectorFromSet(labels.Set{"app": "web"})
	field := fields.OneTermEqualSelector("spec.nodeName", "n1")
	for _, c := range []struct {
		name        string
		label       labels.Selector
		field       fields.Selector
		given, want metav1.ListOptions
	}{
		{"both", label, field, metav1.ListOptions{}, metav1.ListOptions{LabelSelector: "app=web", FieldSelector: "spec.nodeName=n1"}},
		{"on top of what is there", label, field,
			metav1.ListOptions{LabelSelector: "tier=1", FieldSelector: "metadata.name=x"},
			metav1.ListOptions{LabelSelector: "tier=1,app=web", FieldSelector: "metadata.name=x,spec.nodeName=n1"}},
		{"nil chooses all", nil, nil, metav1.ListOptions{LabelSelector: "tier=1"}, metav1.ListOptions{LabelSelector: "tier=1"}},
		{"everything chooses all", labels.Everything(), fields.Everything(), metav1.ListOptions{}, metav1.ListOptions{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := &recorder{}
			list, watch := both(t, listwatch.Select(source, c.label, c.field), source, c.given)
			require.Equal(t, c.want, list)
			require.Equal(t, c.want, watch)
		})
	}
}

// A selector for nothing is empty when it is written out. Sent, it would choose
// everything.
func TestSelectorForNothingIsRefused(t *testing.T) {
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

// A function that returns nothing at all would have its caller range over nil.
func TestNothingIsAnError(t *testing.T) {
	empty := &listwatch.ListWatch[int]{
		ListFunc:  func(context.Context, metav1.ListOptions) (*listwatch.List[int], error) { return nil, nil },
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[int], error) { return nil, nil },
	}
	for name, lw := range map[string]*listwatch.ListWatch[int]{"made by hand": empty, "narrowed": listwatch.Modify(empty, nil)} {
		_, err := lw.List(t.Context(), metav1.ListOptions{})
		require.ErrorIs(t, err, listwatch.ErrNothing, name)
		_, err = lw.Watch(t.Context(), metav1.ListOptions{})
		require.ErrorIs(t, err, listwatch.ErrNothing, name)
	}
}
