package memory

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/thinformer/thinformer/bench/harness"
)

// Cases returns the cases of this package.
func Cases() (cases []harness.Case) {
	for _, n := range []int{1, 10, 50} {
		cases = append(cases, harness.Case{
			Name: fmt.Sprint("fanout/", n), Unit: "ns/call", N: 1, Rounds: 3,
			About:  fmt.Sprintf("the cost of each of %d handlers for an event of an informer in memory: the time with the handlers less the time without, and the same of the processor time; no events are merged", n),
			Ours:   func() harness.Side { return fanout(openOurs[*thing], n) },
			Theirs: func() harness.Side { return fanout(openTheirs[*thing], n) },
		})
	}
	for _, n := range []int{0, 1, 10, 50} {
		cases = append(cases, harness.Case{
			Name: fmt.Sprint("informer/", n), Unit: "ns/op",
			About:  fmt.Sprintf("an update of one of 10,000 objects, from a source in memory to the store and the last of %d handlers, which only count; no events are merged; wall and processor time", n),
			Ours:   func() harness.Side { return events(openOurs[*thing], n) },
			Theirs: func() harness.Side { return events(openTheirs[*thing], n) },
		})
	}
	return append(cases, harness.Case{
		Name: "stalled/1m", Unit: "MB", N: 1, Rounds: 3,
		About:  "1,000,000 updates of 1,000 pods are pending for a blocked handler, and are delivered when it returns: the maximum of the live heap at ten collections, less the heap before. The other side keeps all updates, so it receives 20,000, and its figure is multiplied by fifty. With -short both sides receive 20,000",
		Ours:   func() harness.Side { return stalled(openOurs[*corev1.Pod], 1_000_000, 1) },
		Theirs: func() harness.Side { return stalled(openTheirs[*corev1.Pod], 20_000, 50) },
	})
}

// LayerCases returns the cases of package cache: the cases above with the code of theirs
// and other imports.
func LayerCases() (cases []harness.Case) {
	for _, n := range []int{1, 10} {
		cases = append(cases, harness.Case{
			Name: fmt.Sprint("cache/informer-", n), Unit: "ns/op", Rounds: 9,
			About:  fmt.Sprintf("an update of one of 10,000 objects, from a hand-made source to the store and the last of %d handlers, which only count; theirs and the layer receive them from a full channel, the typed implementation from a function; and the processor time", n),
			Ours:   func() harness.Side { return events(openLayer[*thing], n) },
			Theirs: func() harness.Side { return events(openTheirs[*thing], n) },
			Typed:  func() harness.Side { return events(openOurs[*thing], n) },
		})
	}
	return append(cases, harness.Case{
		Name: "cache/sync-handmade", Unit: "ms/op", N: 1, Rounds: 9,
		About:  "from nothing to the last call of a handler, for 10,000 pods that a hand-made ListWatch returns as one PodList (2,000 with -short); the typed source returns them one by one",
		Ours:   func() harness.Side { return initial(initialOfLayer) },
		Theirs: func() harness.Side { return initial(initialOfTheirs) },
		Typed:  func() harness.Side { return initial(initialOfTyped) },
	})
}
