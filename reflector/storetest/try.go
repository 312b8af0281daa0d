package storetest

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/thinformer/thinformer/internal/trial"
)

// try is one case tried on one store.
type try[T any] struct {
	*trial.Trial
	Store[T]
	// last is the newest state that was made: states never come again.
	last int
}

// perform tries the case on a store, for as long as that has patience.
func (c testCase[T]) perform(s Store[T]) (notes []string, err error) {
	return trial.Perform(s.Patience, func(t *trial.Trial) { c.run(&try[T]{Trial: t, Store: s}) })
}

// thing is an object before it is made.
type thing struct {
	name string
	n    int
}

func (o thing) String() string { return fmt.Sprintf("%s@%d", o.name, o.n) }

// newer is a state of an object that is newer than all before.
func (t *try[T]) newer(name string) thing {
	t.last++
	return thing{name, t.last}
}

func (t *try[T]) object(o thing) T { return t.Object(o.name, o.n) }

// version is that of a collection in which o has changed last.
func (o thing) version() string { return strconv.Itoa(o.n) }

func (t *try[T]) add(o thing) {
	t.Doing("Add %v", o)
	t.Must(t.Add(t.object(o)))
}

func (t *try[T]) update(o thing) {
	t.Doing("Update %v", o)
	t.Must(t.Update(t.object(o)))
}

func (t *try[T]) remove(o thing) {
	t.Doing("Delete %v", o)
	t.Must(t.Delete(t.object(o)))
}

// items are objects as they are read from a list.
func (t *try[T]) items(all ...thing) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, o := range all {
			if !yield(t.object(o), nil) {
				return
			}
		}
	}
}

// replace replaces everything and expects to find that. It is at the version of
// the newest state that there is.
func (t *try[T]) replace(all ...thing) {
	t.Doing("Replace by %v", all)
	version := strconv.Itoa(t.last)
	t.Must(t.Replace(t.items(all...), func() string { return version }))
	t.holds(all...)
	t.isAt(version)
}

// holds compares what is stored.
func (t *try[T]) holds(want ...thing) {
	t.Doing("read the contents")
	got := t.Contents()
	if !maps.Equal(got, contentsOf(want)) {
		t.Failf("stored is %s, and should be %s", spelled(got), spelled(contentsOf(want)))
	}
}

func contentsOf(all []thing) map[string]int {
	contents := map[string]int{}
	for _, o := range all {
		contents[o.name] = o.n
	}
	return contents
}

func spelled(contents map[string]int) string {
	var all []thing
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		all = append(all, thing{name, contents[name]})
	}
	return fmt.Sprint(all)
}

// isAt compares the version, if the store shows one.
func (t *try[T]) isAt(want string) {
	if t.Version == nil {
		return
	}
	t.Doing("read the version")
	if got := t.Version(); got != want {
		t.Failf("the store is at version %q, and should be at %q", got, want)
	}
}
