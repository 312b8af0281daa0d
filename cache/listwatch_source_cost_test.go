//go:build !race

package cache

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Conversion of decoded objects does not allocate for events. For an item of a
// list it allocates the copy that releases the page.
func TestSourceAllocations(t *testing.T) {
	w, own := openWatch(t, t.Context(), &pod{})
	defer w.Stop()
	event := watch.Event{Type: watch.Modified, Object: podWithVersion("1")}
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		own.events <- event
		if _, err := w.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}))

	allocsOf := func(items int) float64 {
		list := &podList{Items: make([]pod, items)}
		source := sourceOf[any](funcSource{list: func() (k8sruntime.Object, error) { return list, nil }}, sourceOptions{Expected: &pod{}})
		return testing.AllocsPerRun(10, func() {
			l, err := source.List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range l.Items() {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	require.InDelta(t, 1000, allocsOf(2000)-allocsOf(1000), 5)
}
