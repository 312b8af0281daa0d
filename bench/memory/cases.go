package memory

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/thinformer/thinformer/bench/harness"
)

// Cases of this room.
func Cases() (cases []harness.Case) {
	for _, n := range []int{1, 10, 50} {
		cases = append(cases, harness.Case{
			Name: fmt.Sprint("fanout/", n), Unit: "ns/call", N: 1, Rounds: 3,
			About:  fmt.Sprintf("what each of %d handlers adds to an event of an informer in memory: the time with them less the time with none, and the same of processor time; nothing is merged", n),
			Ours:   func() harness.Side { return fanout(openOurs[*thing], n) },
			Theirs: func() harness.Side { return fanout(openTheirs[*thing], n) },
		})
	}
	for _, n := range []int{0, 1, 10, 50} {
		cases = append(cases, harness.Case{
			Name: fmt.Sprint("informer/", n), Unit: "ns/op",
			About:  fmt.Sprintf("an update of one of 10,000 objects, from a source that has it ready to the store and the last of %d handlers, which only count; nothing is merged; and the processor time", n),
			Ours:   func() harness.Side { return events(openOurs[*thing], n) },
			Theirs: func() harness.Side { return events(openTheirs[*thing], n) },
		})
	}
	return append(cases, harness.Case{
		Name: "stalled/1m", Unit: "MB", N: 1, Rounds: 3,
		About:  "1,000,000 updates of 1,000 pods pend for a handler that does not return, and are told when it does: the most that is live at any of ten collections, less what was before. The other side, which keeps them all, has 20,000 (so have both with -short), and the figure is fifty times what it holds",
		Ours:   func() harness.Side { return stalled(openOurs[*corev1.Pod], 1_000_000, 1) },
		Theirs: func() harness.Side { return stalled(openTheirs[*corev1.Pod], 20_000, 50) },
	})
}

// LayerCases are those of the room cache: the work of the cases above by the
// code of theirs with another import.
func LayerCases() (cases []harness.Case) {
	for _, n := range []int{1, 10} {
		cases = append(cases, harness.Case{
			Name: fmt.Sprint("cache/informer-", n), Unit: "ns/op", Rounds: 9,
			About:  fmt.Sprintf("an update of one of 10,000 objects, from a hand-made source to the store and the last of %d handlers, which only count; theirs and the layer take them from a channel that is full, the typed room from a function; and the processor time", n),
			Ours:   func() harness.Side { return events(openLayer[*thing], n) },
			Theirs: func() harness.Side { return events(openTheirs[*thing], n) },
			Typed:  func() harness.Side { return events(openOurs[*thing], n) },
		})
	}
	return append(cases, harness.Case{
		Name: "cache/sync-handmade", Unit: "ms/op", N: 1, Rounds: 9,
		About:  "from nothing to the last call of a handler, for 10,000 pods that a hand-made ListWatch returns as one PodList (2,000 with -short); the typed room's returns them one by one",
		Ours:   func() harness.Side { return initial(initialOfLayer) },
		Theirs: func() harness.Side { return initial(initialOfTheirs) },
		Typed:  func() harness.Side { return initial(initialOfTyped) },
	})
}
