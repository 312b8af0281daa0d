package harness

import (
	"cmp"
	"runtime"
	"slices"
	"time"
)

// Meter measures one round of one side.
type Meter struct {
	// N is the number of operations that the side does.
	N int
	// Budget is how long a side that is not counted in operations should run.
	Budget time.Duration

	began   time.Time
	before  runtime.MemStats
	elapsed time.Duration
	timed   bool
	allocs  uint64
	bytes   uint64
	figures []figure
}

// figure is a number that the side has measured by itself. An empty unit is the
// case's.
type figure struct {
	name, unit string
	value      float64
}

// IsShort is whether the rounds are to be short: then a side that is not counted
// in operations does little.
func (m *Meter) IsShort() bool { return m.Budget < 100*time.Millisecond }

// Start begins, or goes on with, what counts, on a heap without garbage.
func (m *Meter) Start() {
	runtime.GC()
	m.Resume()
}

// Resume is Start without a collection before it, for after a Stop: what a side
// prepares in between does not count.
func (m *Meter) Resume() {
	runtime.ReadMemStats(&m.before)
	m.began = time.Now()
}

// Stop ends what counts.
func (m *Meter) Stop() {
	m.elapsed += time.Since(m.began)
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	m.allocs += after.Mallocs - m.before.Mallocs
	m.bytes += after.TotalAlloc - m.before.TotalAlloc
	m.timed = true
}

// Report gives a figure that the side has measured by itself, in the unit of
// the case. An empty name is the case's own row and takes the place of the time
// for each operation; any other is a further row, case/name.
func (m *Meter) Report(name string, value float64) { m.ReportIn("", name, value) }

// ReportIn is Report of a figure that has a unit of its own.
func (m *Meter) ReportIn(unit, name string, value float64) {
	m.figures = append(m.figures, figure{name, unit, value})
}

// ReportBytes gives what was allocated between Start and Stop, for each
// operation, as the row case/bytes.
func (m *Meter) ReportBytes() { m.ReportIn("B/op", "bytes", float64(m.bytes)/float64(m.N)) }

// Percentiles reports the mean of the values as the case's own row, and p50,
// p99 and max as further ones.
func (m *Meter) Percentiles(values []float64) {
	if len(values) == 0 {
		return
	}
	slices.Sort(values)
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	at := func(q float64) float64 { return values[int(q*float64(len(values)-1))] }
	m.Report("", sum/float64(len(values)))
	m.Report("p50", at(0.50))
	m.Report("p99", at(0.99))
	m.Report("max", at(1))
}

// sample is the result of a round: a value for each row, and allocations.
type sample struct {
	values map[string]float64
	units  map[string]string
	names  []string // of values, in the order reported
	allocs *float64 // for each operation; nil if the side timed nothing
}

func (m *Meter) sample(unit string) sample {
	s := sample{values: map[string]float64{}, units: map[string]string{}}
	add := func(name, unit string, value float64) {
		s.values[name], s.units[name] = value, unit
		s.names = append(s.names, name)
	}
	if m.timed {
		perOp := float64(m.allocs) / float64(m.N)
		s.allocs = &perOp
		if scale, isTime := nanoseconds[unit]; isTime {
			add("", unit, float64(m.elapsed.Nanoseconds())/float64(m.N)/scale)
		}
	}
	for _, f := range m.figures {
		add(f.name, cmp.Or(f.unit, unit), f.value)
	}
	return s
}

// nanoseconds has the units of the time of an operation.
var nanoseconds = map[string]float64{"ns/op": 1, "us/op": 1e3, "ms/op": 1e6}
