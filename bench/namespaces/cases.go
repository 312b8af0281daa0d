package namespaces

import (
	"slices"
	"strings"
	"time"

	"github.com/thinformer/thinformer/bench/apiserver"
	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
)

// Cases returns the cases of this package.
func Cases() []harness.Case {
	return []harness.Case{
		{
			Name: "namespaces/add-500", Unit: "ms/op", N: 1, Rounds: 5,
			About:  "one namespace of 10 objects is added to a running informer of 500 namespaces (50 with -short): the time until its first Add, the median of 9; and single, that of a new informer of one namespace with the same client. The other side is a further cache of controller-runtime",
			Ours:   func() harness.Side { return added("ours") },
			Theirs: func() harness.Side { return added("theirs") },
		},
		{
			Name: "namespaces/held-500", Unit: "goroutines", N: 1, Rounds: 3,
			About:  "a running informer of 500 namespaces with 10 objects each (50 with -short): goroutines, connections, and live and peak memory, beyond the process before it; and all, the same of an informer of all namespaces. The other side is controller-runtime",
			Ours:   func() harness.Side { return held("ours") },
			Theirs: func() harness.Side { return held("theirs") },
		},
	}
}

// question describes the informer of a process.
type question struct {
	At apiserver.Address
	// Namespaces is the number of its namespaces. The server has Further more. 0 is an
	// informer of all namespaces.
	Namespaces, Further int
	// Objects is the number of the objects in the namespaces of the informer.
	Objects int
}

// answer has the results of a process.
type answer struct {
	// Added has the time from each addition of a namespace to its first Add, and Single that
	// of an informer of one namespace.
	Added, Single []time.Duration
	// Goroutines, Connections and Live are those of the informer after its initial list.
	// Peak is the largest resident memory, less that before the informer.
	Goroutines, Connections int
	Live, Peak              int64
}

// Roles returns the roles of the child processes of this package.
func Roles() map[string]process.Role {
	return map[string]process.Role{
		"namespaces/ours":   process.Answering(func(q question) answer { return measured(q, openOurs) }),
		"namespaces/theirs": process.Answering(func(q question) answer { return measured(q, openTheirs) }),
	}
}

const each, further = 10, 9

func size(m *harness.Meter) (namespaces int, at apiserver.Address) {
	namespaces = 500
	if m.IsShort() {
		namespaces = 50
	}
	return namespaces, apiserver.Serve(apiserver.Config{Namespaces: namespaces + further, Each: each})
}

func added(library string) harness.Side {
	return func(m *harness.Meter) {
		namespaces, at := size(m)
		a := process.Ask[answer]("namespaces/"+library, question{At: at, Namespaces: namespaces, Further: further, Objects: namespaces * each})
		m.Report("", median(a.Added))
		m.Report("single", median(a.Single))
	}
}

func held(library string) harness.Side {
	return func(m *harness.Meter) {
		namespaces, at := size(m)
		report := func(prefix string, a answer) {
			m.Report(strings.TrimSuffix(prefix, "/"), float64(a.Goroutines))
			m.ReportIn("conns", prefix+"connections", float64(a.Connections))
			m.ReportIn("MB", prefix+"live", float64(a.Live)/1e6)
			m.ReportIn("MB", prefix+"peak", float64(a.Peak)/1e6)
		}
		report("", process.Ask[answer]("namespaces/"+library, question{At: at, Namespaces: namespaces, Objects: namespaces * each}))
		report("all/", process.Ask[answer]("namespaces/"+library, question{At: at, Objects: (namespaces + further) * each}))
	}
}

// median returns the median of some durations, in milliseconds.
func median(of []time.Duration) float64 {
	slices.Sort(of)
	return float64(of[len(of)/2].Nanoseconds()) / 1e6
}
