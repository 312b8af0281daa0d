package listwatchtest

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func created(name string) change { return change{watch.Added, name} }
func updated(name string) change { return change{watch.Modified, name} }
func deleted(name string) change { return change{watch.Deleted, name} }

// expectList checks the objects of a list, in any order.
func (t *caseRun[T]) expectList(opts metav1.ListOptions, want ...string) (version string) {
	got, version := t.list(opts)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Failf("the list has %q, want %q", got, want)
	}
	return version
}

func listEmpty[T any](t *caseRun[T]) {
	version := t.expectList(metav1.ListOptions{})
	s := t.watch(version)
	defer s.stop()
	t.apply(created("a"))
	s.expect(created("a"))
}

func listWhole[T any](t *caseRun[T]) {
	t.apply(created("a"), created("b"), created("c"))
	before := t.expectList(metav1.ListOptions{}, "a", "b", "c")
	t.apply(updated("a"), deleted("b"), created("d"))
	after := t.expectList(metav1.ListOptions{}, "a", "c", "d")
	if before == after {
		t.Failf("two lists have the version %q, although objects have changed between them", before)
	}
}

func listPages[T any](t *caseRun[T]) {
	t.apply(created("a"), created("b"), created("c"), created("d"), created("e"))
	for _, limit := range []int64{1, 2, 5, 100} {
		version := t.expectList(metav1.ListOptions{Limit: limit}, "a", "b", "c", "d", "e")
		s := t.watch(version)
		t.apply(updated("c"))
		s.expect(updated("c"))
		s.stop()
	}
}
