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
	// Budget is the duration of a side without a number of operations.
	Budget time.Duration

	began   time.Time
	before  runtime.MemStats
	elapsed time.Duration
	timed   bool
	allocs  uint64
	bytes   uint64
	figures []figure
}

// figure is a number that the side has measured itself. An empty unit is that of the
// case.
type figure struct {
	name, unit string
	value      float64
}

// IsShort reports whether rounds are to be short. A side without a number of operations
// then does less.
func (m *Meter) IsShort() bool { return m.Budget < 100*time.Millisecond }

// Start collects garbage, and begins or continues the measurement.
func (m *Meter) Start() {
	runtime.GC()
	m.Resume()
}

// Resume continues the measurement after Stop, without a garbage collection.
// Preparations between Stop and Resume are not measured.
func (m *Meter) Resume() {
	runtime.ReadMemStats(&m.before)
	m.began = time.Now()
}

// Stop pauses the measurement.
func (m *Meter) Stop() {
	m.elapsed += time.Since(m.began)
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	m.allocs += after.Mallocs - m.before.Mallocs
	m.bytes += after.TotalAlloc - m.before.TotalAlloc
	m.timed = true
}

// Report records a figure that the side has measured itself, in the unit of the case.
// With an empty name it replaces the time per operation in the case's own row. With any
// other name it is an additional row, case/name.
func (m *Meter) Report(name string, value float64) { m.ReportIn("", name, value) }

// ReportIn records a figure with its own unit.
func (m *Meter) ReportIn(unit, name string, value float64) {
	m.figures = append(m.figures, figure{name, unit, value})
}

// ReportBytes records the bytes that were allocated between Start and Stop, per
// operation, as the row case/bytes.
func (m *Meter) ReportBytes() { m.ReportIn("B/op", "bytes", float64(m.bytes)/float64(m.N)) }

// Percentiles records the mean of the values as the case's own row, and p50, p99 and
// max as additional rows.
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
	names  []string // keys of values, in the order in which they were reported
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
