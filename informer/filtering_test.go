package informer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
)

// recorder returns a handler that appends a description of each callback to calls.
func recorder(calls *[]string) informer.ResourceEventHandler[int] {
	record := func(format string, args ...any) { *calls = append(*calls, fmt.Sprintf(format, args...)) }
	return informer.ResourceEventHandlerFuncs[int]{
		AddFunc:    func(obj int, initial bool) { record("add %d %t", obj, initial) },
		UpdateFunc: func(oldObj, newObj int) { record("update %d %d", oldObj, newObj) },
		DeleteFunc: func(obj int, unknown bool) { record("delete %d %t", obj, unknown) },
	}
}

// The handler receives a legal history of the accepted objects.
func TestFilteringPassesAcceptedObjects(t *testing.T) {
	even := func(n int) bool { return n%2 == 0 }
	for _, c := range []struct {
		name   string
		filter func(int) bool
		do     func(h informer.ResourceEventHandler[int])
		want   string
	}{
		{"accepted add", even, func(h informer.ResourceEventHandler[int]) { h.OnAdd(2, true) }, "add 2 true"},
		{"rejected add", even, func(h informer.ResourceEventHandler[int]) { h.OnAdd(1, true) }, ""},
		{"both states accepted", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(2, 4) }, "update 2 4"},
		{"both states rejected", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(1, 3) }, ""},
		{"only the new state accepted", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(1, 2) }, "add 2 false"},
		{"only the old state accepted", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(2, 1) }, "delete 2 false"},
		{"resync of an accepted object", even, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(2, 2) }, "update 2 2"},
		{"accepted delete", even, func(h informer.ResourceEventHandler[int]) { h.OnDelete(2, true) }, "delete 2 true"},
		{"rejected delete", even, func(h informer.ResourceEventHandler[int]) { h.OnDelete(1, false) }, ""},
		{"nil filter", nil, func(h informer.ResourceEventHandler[int]) { h.OnUpdate(1, 2) }, "update 1 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var calls []string
			c.do(informer.FilteringResourceEventHandler[int]{FilterFunc: c.filter, Handler: recorder(&calls)})
			if c.want == "" {
				require.Empty(t, calls)
				return
			}
			require.Equal(t, []string{c.want}, calls)
		})
	}
}

// Adds, deletes and resyncs pass, and so do updates that change the projection.
func TestChangedDropsIrrelevantUpdates(t *testing.T) {
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
		{"add", func() { h.OnAdd(one, true) }, "add [1 0] true"},
		{"different projection", func() { h.OnUpdate(one, two) }, "update [1 0] [2 0]"},
		{"equal projection", func() { h.OnUpdate(one, oneAgain) }, ""},
		{"resync", func() { h.OnUpdate(one, one) }, "update [1 0] [1 0]"},
		{"delete", func() { h.OnDelete(two, true) }, "delete [2 0] true"},
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

// Without pointers a resync cannot be recognized, so only the projection is compared.
func TestChangedOfValuesComparesProjection(t *testing.T) {
	var calls []string
	h := informer.Changed(func(n int) bool { return n > 9 }, recorder(&calls))
	h.OnUpdate(3, 3)
	h.OnUpdate(3, 4)
	h.OnUpdate(3, 10)
	require.Equal(t, []string{"update 3 10"}, calls)
}
