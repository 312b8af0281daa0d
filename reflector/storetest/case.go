package storetest

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/thinformer/thinformer/internal/trial"
)

// caseRun is one run of a test case on one store.
type caseRun[T any] struct {
	*trial.Trial
	Store[T]
	// last is the newest state that was created. No state is used twice.
	last int
}

// perform runs the case on a store, for at most its Timeout.
func (c testCase[T]) perform(s Store[T]) (notes []string, err error) {
	return trial.Run(s.Timeout, func(t *trial.Trial) { c.run(&caseRun[T]{Trial: t, Store: s}) })
}

// testObject describes an object for Store.Object.
type testObject struct {
	name string
	n    int
}

func (o testObject) String() string { return fmt.Sprintf("%s@%d", o.name, o.n) }

// nextState returns a state of an object that is newer than all before.
func (t *caseRun[T]) nextState(name string) testObject {
	t.last++
	return testObject{name, t.last}
}

func (t *caseRun[T]) object(o testObject) T { return t.Object(o.name, o.n) }

// version returns the version of a collection whose last change is o.
func (o testObject) version() string { return strconv.Itoa(o.n) }

func (t *caseRun[T]) add(o testObject) {
	t.Step("Add %v", o)
	t.Must(t.Add(t.object(o)))
}

func (t *caseRun[T]) update(o testObject) {
	t.Step("Update %v", o)
	t.Must(t.Update(t.object(o)))
}

func (t *caseRun[T]) remove(o testObject) {
	t.Step("Delete %v", o)
	t.Must(t.Delete(t.object(o)))
}

// items returns an iterator over objects.
func (t *caseRun[T]) items(all ...testObject) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, o := range all {
			if !yield(t.object(o), nil) {
				return
			}
		}
	}
}

// replace replaces the contents and checks the result. The version is that of
// the newest state.
func (t *caseRun[T]) replace(all ...testObject) {
	t.Step("Replace with %v", all)
	version := strconv.Itoa(t.last)
	t.Must(t.Replace(t.items(all...), func() string { return version }))
	t.expectContents(all...)
	t.expectVersion(version)
}

// expectContents checks the contents of the store.
func (t *caseRun[T]) expectContents(want ...testObject) {
	t.Step("read the contents")
	got := t.Contents()
	if !maps.Equal(got, contentsOf(want)) {
		t.Failf("the store has %s, want %s", formatContents(got), formatContents(contentsOf(want)))
	}
}

func contentsOf(all []testObject) map[string]int {
	contents := map[string]int{}
	for _, o := range all {
		contents[o.name] = o.n
	}
	return contents
}

func formatContents(contents map[string]int) string {
	var all []testObject
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		all = append(all, testObject{name, contents[name]})
	}
	return fmt.Sprint(all)
}

// expectVersion checks the version, if the store has one.
func (t *caseRun[T]) expectVersion(want string) {
	if t.Version == nil {
		return
	}
	t.Step("read the version")
	if got := t.Version(); got != want {
		t.Failf("the version of the store is %q, want %q", got, want)
	}
}
