package informer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
)

// told writes down what a handler of numbers is told.
func told(calls *[]string) informer.ResourceEventHandler[int] {
	note := func(format string, args ...any) { *calls = append(*calls, fmt.Sprintf(format, args...)) }
	return informer.ResourceEventHandlerFuncs[int]{
		AddFunc:    func(obj int, initial bool) { note("add %d %t", obj, initial) },
		UpdateFunc: func(oldObj, newObj int) { note("update %d %d", oldObj, newObj) },
		DeleteFunc: func(obj int, unknown bool) { note("delete %d %t", obj, unknown) },
	}
}

// Promise: the handler sees a legal history of the objects that are chosen.
func TestFilteringTellsOfWhatIsChosen(t *testing.T) {
	even := func(n int) bool { return n%2 == 0 }
	for _, c := range []struct {
		name   string
		filter func(int) bool
		do     func(h informer.ResourceEventHandler[int])
		want   string
	}{
		{"an add that is chosen", even, func(h informer.ResourceEventHandler[int]) { h.OnAdd(2, true) }, "add 2 true"},
		{"an add that is not", even, func(h informer.ResourceEventHandler[int]) { h.OnAdd(1, true) }, ""},
		{"both states chosen", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(2, 4) }, "update 2 4"},
		{"none chosen", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(1, 3) }, ""},
		{"comes to be chosen", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(1, 2) }, "add 2 false"},
		{"is no longer chosen", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(2, 1) }, "delete 2 false"},
		{"a resync of what is chosen", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(2, 2) }, "update 2 2"},
		{"a delete that is chosen", even, func(h informer.ResourceEventHandler[int]) { h.OnDelete(2, true) }, "delete 2 true"},
		{"a delete that is not", even, func(h informer.ResourceEventHandler[int]) { h.OnDelete(1, false) }, ""},
		{"no filter chooses all", nil, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(1, 2) }, "update 1 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var calls []string
			c.do(informer.FilteringResourceEventHandler[int]{FilterFunc: c.filter, Handler: told(&calls)})
			if c.want == "" {
				require.Empty(t, calls)
				return
			}
			require.Equal(t, []string{c.want}, calls)
		})
	}
}

// Promise: adds, deletes and resyncs pass, updates where the projection differs.
func TestChangedHoldsBackUpdatesThatDoNotMatter(t *testing.T) {
	one, two := &[2]int{1, 0}, &[2]int{2, 0}
	oneAgain := &[2]int{1, 7}
	var calls []string
	h := informer.Changed(func(n *[2]int) int { return n[0] }, informer.ResourceEventHandler[*[2]int](informer.ResourceEventHandlerFuncs[*[2]int]{
		AddFunc:    func(obj *[2]int, initial bool) { calls = append(calls, fmt.Sprint("add ", *obj, initial)) },
		UpdateFunc: func(oldObj, newObj *[2]int) { calls = append(calls, fmt.Sprint("update ", *oldObj, *newObj)) },
		DeleteFunc: func(obj *[2]int, unknown bool) { calls = append(calls, fmt.Sprint("delete ", *obj, unknown)) },
	}))
	for _, c := range []struct {
		name string
		do   func()
		want string
	}{
		{"an add", func() { h.OnAdd(one, true) }, "add [1 0] true"},
		{"another projection", func() { h.OnUpdate(one, two) }, "update [1 0] [2 0]"},
		{"the same projection", func() { h.OnUpdate(one, oneAgain) }, ""},
		{"a resync", func() { h.OnUpdate(one, one) }, "update [1 0] [1 0]"},
		{"a delete", func() { h.OnDelete(two, true) }, "delete [2 0] true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls = nil
			c.do()
			if c.want == "" {
				require.Empty(t, calls)
				return
			}
			require.Equal(t, []string{c.want}, calls)
		})
	}
}

// What is no pointer has no identity by which a resync could be told.
func TestChangedOfValuesComparesOnlyTheProjection(t *testing.T) {
	var calls []string
	h := informer.Changed(func(n int) bool { return n > 9 }, told(&calls))
	h.OnUpdate(3, 3)
	h.OnUpdate(3, 4)
	h.OnUpdate(3, 10)
	require.Equal(t, []string{"update 3 10"}, calls)
}
