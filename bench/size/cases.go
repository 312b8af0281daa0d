// Package size has the cases of the size of a program that is only a controller: one
// custom resource, its informer, a queue and a reconcile. The programs are in the
// folder programs. Some of them are floors: no program with the same libraries can be
// smaller.
package size

import (
	"time"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
)

// starts is the number of starts of a program in a round.
const starts = 20

var (
	ours    = newProgram("ours")
	dynamic = newProgram("dynamic")
	// These have rows of their own: the larger alternatives on the other side, and the
	// floors on ours.
	rivals = []program{newProgram("typed"), newProgram("runtime")}
	floors = []program{newProgram("nethttp"), newProgram("metav1"), newProgram("floor")}
)

// Cases returns the cases of a minimal controller.
func Cases() []harness.Case {
	return []harness.Case{
		both("size/minimal-controller", "MB", "a stripped controller of one custom resource: size of the file, and number of linked packages. The other side uses client-go's rest, cache and dynamic, /typed its clientset, and /runtime controller-runtime. The floors have no controller: /nethttp has an HTTP client, /metav1 also the types of metav1, /floor also json-iterator, yaml and rate", weigh),
		both("size/idle-rss", "MB", "the same programs in the first line of main, doing nothing: resident memory", rss),
		both("size/init", "ms/op", "the same programs: from the start of the process to the first line of main; the median of 20 starts", begin),
		{
			Name: "start/first-reconcile", Unit: "ms/op", N: 1, Rounds: 5,
			About:  "from the first line of main to the first call of reconcile, with one object on an apitest server in another process. The other side uses client-go's dynamic, /typed its clientset, and /runtime controller-runtime",
			Ours:   func() harness.Side { return first(ours, nil) },
			Theirs: func() harness.Side { return first(dynamic, rivals) },
		},
	}
}

func both(name, unit, about string, measure func(m *harness.Meter, p program, row string)) harness.Case {
	side := func(main program, others []program) func() harness.Side {
		return func() harness.Side {
			return func(m *harness.Meter) {
				measure(m, main, "")
				for _, other := range others {
					measure(m, other, other.name)
				}
			}
		}
	}
	return harness.Case{Name: name, About: about, Unit: unit, N: 1, Rounds: 3, Ours: side(ours, floors), Theirs: side(dynamic, rivals)}
}

func weigh(m *harness.Meter, p program, row string) {
	m.Report(row, float64(p.bytes())/1e6)
	m.ReportIn("packages", under(row, "packages"), float64(p.packages()))
}

func rss(m *harness.Meter, p program, row string) {
	_, pid, stop := p.start()
	defer stop()
	m.Report(row, float64(process.Resident(pid))/1e6)
}

func begin(m *harness.Meter, p program, row string) {
	m.Report(row, median(starts, func() time.Duration {
		took, _, stop := p.start()
		stop()
		return took
	}))
}

func under(row, name string) string {
	if row == "" {
		return name
	}
	return row + "/" + name
}
