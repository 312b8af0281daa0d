// Package size holds the cases of what a program weighs that is no more than a
// controller: one custom resource, its informer, a queue, a reconcile. The
// programs are in the folder of that name, and the floors beside them, which
// no program with the same libraries can be smaller.
package size

import (
	"time"

	"github.com/thinformer/thinformer/bench/harness"
)

// starts are how often a program is started in a round.
const starts = 20

var (
	ours    = newProgram("ours")
	dynamic = newProgram("dynamic")
	// others are printed in rows of their own: the rivals that are larger, on
	// their side, and the floors, on ours.
	rivals = []program{newProgram("typed"), newProgram("runtime")}
	floors = []program{newProgram("nethttp"), newProgram("metav1"), newProgram("floor")}
)

// Cases of the size of a program.
func Cases() []harness.Case {
	return []harness.Case{
		both("size/minimal-controller", "MB", "a stripped controller of one custom resource: bytes of the file, and packages linked; theirs is client-go's rest, cache and dynamic, /typed its clientset, /runtime controller-runtime; ours beside the floors: /nethttp, with /metav1, and with json-iterator, yaml and rate (/floor)", weigh),
		both("size/idle-rss", "MB", "the same programs in the first line of main, doing nothing: resident memory", rss),
		both("size/init", "ms/op", "the same programs: from the start of the process to the first line of main; the median of 20 starts", begin),
		{
			Name: "start/first-reconcile", Unit: "ms/op", N: 1, Rounds: 5,
			About:  "from the first line of main to the first call of reconcile, with one object on an apitest server in another process; theirs is client-go's dynamic, /typed its clientset, /runtime controller-runtime",
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
	m.Report(row, float64(resident(pid))/1e6)
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
