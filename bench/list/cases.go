// Package list has the cases of a whole list over a connection. The server and each
// client run in their own processes, so that the processor time and the peak memory of
// a client can be measured.
//
// The server and the client share the machine's processors. So the wall time depends on
// the number of processors, and the processor time does not.
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
		listCase("list/json-50k", request{Encoding: wire.JSON}, "a list of 50,000 pods in JSON in one answer, as informers request it (resourceVersion 0); without managed fields, which the other side keeps"),
		listCase("list/json-50k-whole", request{Encoding: wire.JSON, Whole: true}, "the same with the managed fields kept on both sides"),
		listCase("list/json-50k-paged", request{Encoding: wire.JSON, Paged: true}, "list/json-50k in pages: ours of a growing size, those of the other side of 500"),
		listCase("list/protobuf-50k", request{Encoding: wire.Protobuf}, "list/json-50k in protobuf"),
	}
}

// many is the number of pods in a list, and few that with short rounds.
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

// side returns a side that runs a client once per round.
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
