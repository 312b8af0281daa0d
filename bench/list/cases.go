// Package list holds the cases of a whole list over a connection: a server in a
// process of its own, and clients each in a process of its own, so that what a
// client costs can be read off its process: processor time, peak of memory.
//
// The server shares the machine's processors with the client, so the wall time
// depends on how many there are; the processor time does not.
package list

import (
	"fmt"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/pods"
	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/bench/wire"
)

// Cases returns the cases of this package.
func Cases() []harness.Case {
	return []harness.Case{
		listCase("list/json-50k", request{Encoding: wire.JSON}, "a list of 50,000 pods in JSON in one answer, as informers ask for it (resourceVersion 0); without managed fields, which the other side keeps"),
		listCase("list/json-50k-whole", request{Encoding: wire.JSON, Whole: true}, "the same with the managed fields kept on both sides"),
		listCase("list/json-50k-paged", request{Encoding: wire.JSON, Paged: true}, "list/json-50k in pages of 500; the other side uses its pager"),
		listCase("list/protobuf-50k", request{Encoding: wire.Protobuf}, "list/json-50k in protobuf"),
	}
}

// many pods are listed, or few if the rounds are to be short.
const (
	many = 50_000
	few  = 2_000
)

func listCase(name string, ask request, about string) harness.Case {
	return harness.Case{
		Name: name, Unit: "s", N: 1, Rounds: 3,
		About:  about + ". Wall and processor seconds, and MB of memory, of the client's process (2,000 pods with -short)",
		Ours:   func() harness.Side { return side("ours", ask) },
		Theirs: func() harness.Side { return side("theirs", ask) },
	}
}

// side runs a client once a round.
func side(library string, ask request) harness.Side {
	return func(m *harness.Meter) {
		held := pods.Config{Encoding: ask.Encoding, Pods: many}
		if m.IsShort() {
			held.Pods = few
		}
		ask := ask
		work := fmt.Sprint("a list ", ask, held)
		ask.URL = pods.Serve(held)
		result := process.Ask[result]("list/"+library, ask)
		process.Agree(work, result.Digest)
		m.Report("", result.Wall.Seconds())
		m.Report("cpu", result.CPU.Seconds())
		m.ReportIn("MB", "peak", float64(result.Peak)/1e6)
		m.ReportIn("MB", "live", float64(result.Live)/1e6)
	}
}
