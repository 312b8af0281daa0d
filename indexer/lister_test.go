package indexer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var pods = schema.GroupResource{Resource: "pods"}

// countingObject counts the reads of its labels, and so the objects that a lister
// scans.
type countingObject struct {
	metav1.ObjectMeta
	labelReads *int
}

func (c *countingObject) GetLabels() map[string]string {
	*c.labelReads++
	return c.Labels
}

// Promise: a lister returns the objects of a namespace that match a selector. The
// result is the same as that of a scan of all objects, whatever indexes exist.
func TestListerReturnsTheSameAsAScan(t *testing.T) {
	selectors := []string{"", "app=a", "app in (a,b)", "app notin (a)", "app", "!app", "app=a,tier=x", "app!=a,tier in (x,y)", "app=none", "tier=x,app in (a,b,c)"}
	for seed := range 40 {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		ix := New(Options[*metav1.ObjectMeta]{})
		if rng.IntN(2) == 0 {
			_, err := ix.AddIndex(NamespaceIndex, MetaNamespaceIndexFunc)
			require.NoError(t, err)
		}
		for _, label := range []string{"app", "tier"} {
			if rng.IntN(2) == 0 {
				_, err := ix.AddLabelIndex(label)
				require.NoError(t, err)
			}
		}
		var all []*metav1.ObjectMeta
		for i := range rng.IntN(60) {
			o := &metav1.ObjectMeta{Name: fmt.Sprint("o", i), Namespace: []string{"", "n1", "n2"}[rng.IntN(3)], Labels: map[string]string{}}
			if rng.IntN(4) > 0 {
				o.Labels["app"] = string("abc"[rng.IntN(3)])
			}
			if rng.IntN(4) > 0 {
				o.Labels["tier"] = string("xyz"[rng.IntN(3)])
			}
			all = append(all, o)
			require.NoError(t, ix.Add(o))
		}
		lister := NewLister(ix.Reader, pods)
		for _, text := range selectors {
			selector, err := labels.Parse(text)
			require.NoError(t, err)
			for _, namespace := range []string{"", "n1", "n2", "unused"} {
				var want []string
				for _, o := range all {
					if (namespace == "" || o.Namespace == namespace) && selector.Matches(labels.Set(o.Labels)) {
						want = append(want, o.Name)
					}
				}
				var got []string
				for o := range lister.Namespace(namespace).List(selector) {
					got = append(got, o.Name)
				}
				slices.Sort(want)
				slices.Sort(got)
				require.Equal(t, want, got, "seed %d, selector %q, namespace %q", seed, text, namespace)
			}
		}
	}
}

// Promise: a selector that requires values of an indexed label does not scan all
// objects.
func TestListerUsesLabelIndexes(t *testing.T) {
	labelReads := 0
	ix := New(Options[*countingObject]{})
	for _, label := range []string{"app", "zone"} {
		_, err := ix.AddLabelIndex(label)
		require.NoError(t, err)
	}
	for i := range 1000 {
		require.NoError(t, ix.Add(&countingObject{metav1.ObjectMeta{
			Namespace: fmt.Sprint("ns", i%2), Name: fmt.Sprint("o", i),
			Labels: map[string]string{"app": fmt.Sprint(i % 100), "zone": fmt.Sprint(i % 3)},
		}, &labelReads}))
	}
	lister := NewLister(ix.Reader, pods)
	for selector, most := range map[string]int{
		"app=7": 10, "app==7": 10, "app in (7,8)": 20, "zone=1,app=7": 10, "app=7,zone!=1": 10, "app=none": 0,
	} {
		parsed, err := labels.Parse(selector)
		require.NoError(t, err)
		labelReads = 0
		for range lister.List(parsed) {
		}
		require.LessOrEqual(t, labelReads, most, selector)
		labelReads = 0
		for range lister.Namespace("ns1").List(parsed) {
		}
		require.LessOrEqual(t, labelReads, most, selector)
	}
	labelReads = 0
	for range lister.List(labels.Nothing()) {
		t.Fatal("labels.Nothing selected an object")
	}
	for range lister.List(nil) {
	}
	for range lister.List(labels.Everything()) {
	}
	require.Zero(t, labelReads)
}

// Promise: Get returns a NotFound error if the object does not exist.
func TestListerGetReturnsNotFound(t *testing.T) {
	ix := New(Options[*metav1.ObjectMeta]{})
	node, pod := &metav1.ObjectMeta{Name: "n"}, &metav1.ObjectMeta{Namespace: "default", Name: "p"}
	require.NoError(t, ix.Add(node))
	require.NoError(t, ix.Add(pod))
	lister := NewLister(ix.Reader, pods)
	for _, tc := range []struct {
		get  func() (*metav1.ObjectMeta, error)
		want *metav1.ObjectMeta
	}{
		{func() (*metav1.ObjectMeta, error) { return lister.Get("n") }, node},
		{func() (*metav1.ObjectMeta, error) { return lister.Namespace("").Get("n") }, node},
		{func() (*metav1.ObjectMeta, error) { return lister.Namespace("default").Get("p") }, pod},
		{func() (*metav1.ObjectMeta, error) { return lister.Get("p") }, nil},
		{func() (*metav1.ObjectMeta, error) { return lister.Namespace("default").Get("n") }, nil},
	} {
		got, err := tc.get()
		require.Same(t, tc.want, got)
		require.Equal(t, tc.want == nil, apierrors.IsNotFound(err))
		if err != nil {
			require.Contains(t, err.Error(), "pods")
		}
	}
}

// labelled is an object that has labels but no other metadata.
type labelled string

func (l labelled) GetLabels() map[string]string { return map[string]string{"app": string(l)} }

// Promise: a lister selects objects by their labels if they have GetLabels.
func TestListerOfObjectsWithOnlyLabels(t *testing.T) {
	ix := New(Options[labelled]{KeyFunc: func(l labelled) (string, error) { return string(l), nil }})
	_, err := ix.AddLabelIndex("app")
	require.NoError(t, err)
	require.NoError(t, ix.Add("x"))
	require.NoError(t, ix.Add("y"))
	selector := labels.SelectorFromSet(labels.Set{"app": "x"})
	require.Equal(t, []labelled{"x"}, slices.Collect(NewLister(ix.Reader, pods).List(selector)))
}

// Promise: a lister of values without metadata reads their namespaces from their keys.
func TestListerOfPlainValues(t *testing.T) {
	ix := New(Options[string]{KeyFunc: func(s string) (string, error) { return s, nil }})
	for _, s := range []string{"a/1", "a/2", "b/1", "c"} {
		require.NoError(t, ix.Add(s))
	}
	lister := NewLister(ix.Reader, pods)
	require.Equal(t, []string{"a/1", "a/2"}, slices.Sorted(lister.Namespace("a").List(nil)))
	require.Len(t, slices.Collect(lister.List(nil)), 4)
}

// Promise: a lister reads the labels of a type that has only GetObjectMeta.
func TestListerOfAccessors(t *testing.T) {
	ix := New(Options[accessor]{})
	_, err := ix.AddLabelIndex("app")
	require.NoError(t, err)
	require.NoError(t, ix.Add(accessor{&metav1.ObjectMeta{Namespace: "n", Name: "a", Labels: map[string]string{"app": "x", "tier": "y"}}}))
	for _, text := range []string{"app=x", "tier=y", "app=x,tier=y"} {
		selector, err := labels.Parse(text)
		require.NoError(t, err)
		require.Len(t, slices.Collect(NewLister(ix.Reader, pods).Namespace("n").List(selector)), 1, text)
	}
}
