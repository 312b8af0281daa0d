package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Plan determines how long and how often to measure.
type Plan struct {
	// Rounds is the number of rounds of each side after calibration.
	Rounds int
	// Heavy is the maximum number of rounds of cases that set Rounds because each round
	// takes long. 0 means no maximum.
	Heavy int
	// Budget is the time of a round for cases without a number of operations.
	Budget time.Duration
	// Progress, if set, is called before each round.
	Progress func(c Case, round, of int)
}

// Row is one line of the result. A missing figure is nil.
type Row struct {
	Case         string
	Unit         string
	Ours, Theirs *float64
	// Allocations per operation.
	OursAllocs, TheirsAllocs *float64
	// Err is the reason if the case has no figures.
	Err error
}

// Ratio returns theirs divided by ours. It returns nil if one of them is missing, or if
// ours is not positive, as a difference can be.
func (r Row) Ratio() *float64 {
	if r.Ours == nil || r.Theirs == nil || *r.Ours <= 0 {
		return nil
	}
	ratio := *r.Theirs / *r.Ours
	return &ratio
}

// Run measures a case. If a side panics, the result is one row with the error.
func (p Plan) Run(c Case) (rows []Row) {
	defer func() {
		if cause := recover(); cause != nil {
			rows = []Row{{Case: c.Name, Unit: c.Unit, Err: fmt.Errorf("panic: %v", cause)}}
		}
	}()
	if err := c.Validate(); err != nil {
		return []Row{{Case: c.Name, Unit: c.Unit, Err: err}}
	}
	if c.Together != nil {
		return p.runTogether(c)
	}
	sides := []Side{made(c.Ours), made(c.Theirs), made(c.Typed)}
	n := c.N
	if n == 0 {
		n = p.calibrate(sides...)
	}
	rounds := p.roundsOf(c)
	if c.Typed == nil {
		sides = sides[:2]
	}
	seen := make([][]sample, 3)
	for round := range rounds {
		if p.Progress != nil {
			p.Progress(c, round+1, rounds)
		}
		for turn := range sides {
			// The first side alternates: later sides run on a warmer machine.
			i := (turn + round) % len(sides)
			seen[i] = p.round(seen[i], sides[i], n, c.Unit)
		}
	}
	rows = join(c, seen[0], seen[1])
	if c.Typed != nil {
		rows = append(rows, rowsOfTyped(c, rows[0], seen[2], seen[1])...)
	}
	return rows
}

// runTogether measures a case whose sides run at the same time.
func (p Plan) runTogether(c Case) []Row {
	both := c.Together()
	var ours, theirs []sample
	rounds := p.roundsOf(c)
	for round := range rounds {
		if p.Progress != nil {
			p.Progress(c, round+1, rounds)
		}
		a, b := &Meter{N: c.N, Budget: p.Budget}, &Meter{N: c.N, Budget: p.Budget}
		both(a, b)
		ours, theirs = append(ours, a.sample(c.Unit)), append(theirs, b.sample(c.Unit))
	}
	return join(c, ours, theirs)
}

// roundsOf returns the number of rounds of the case.
func (p Plan) roundsOf(c Case) int {
	if c.Rounds == 0 {
		return p.Rounds
	}
	return min(p.Rounds, c.Rounds, cmp.Or(p.Heavy, c.Rounds))
}

// rowsOfTyped returns the rows of the typed implementation, and the part of its ratio
// to theirs that ours keeps. This part is the quotient of the figures of the typed
// implementation and of ours.
func rowsOfTyped(c Case, ours Row, typed, theirs []sample) (rows []Row) {
	for _, row := range join(c, typed, theirs) {
		row.Case = c.Name + "/typed" + strings.TrimPrefix(row.Case, c.Name)
		rows = append(rows, row)
	}
	if first := rows[0]; ours.Case == c.Name && ours.Ours != nil && first.Ours != nil && *ours.Ours > 0 {
		kept := *first.Ours / *ours.Ours
		rows = append(rows, Row{Case: c.Name + "/kept", Unit: "of typed", Ours: &kept})
	}
	return rows
}

func made(maker func() Side) Side {
	if maker == nil {
		return nil
	}
	return maker()
}

// round runs a side once, if there is one, and adds its result.
func (p Plan) round(seen []sample, side Side, n int, unit string) []sample {
	if side == nil {
		return seen
	}
	meter := &Meter{N: n, Budget: p.Budget}
	side(meter)
	return append(seen, meter.sample(unit))
}

// calibrate returns the number of operations that fill the budget on the slower side. It is
// also the warm-up.
func (p Plan) calibrate(sides ...Side) int {
	for n := 1; ; {
		var slowest time.Duration
		for _, side := range sides {
			if side != nil {
				meter := &Meter{N: n, Budget: p.Budget}
				side(meter)
				slowest = max(slowest, meter.elapsed)
			}
		}
		next := grown(n, slowest, p.Budget)
		if next == n {
			return n
		}
		n = next
	}
}

// grown returns the next number of operations to try, or n if n is sufficient.
func grown(n int, took, budget time.Duration) int {
	const most = 100_000_000
	if took >= budget*8/10 || n >= most {
		return n
	}
	// At most a hundredfold, since the first operations are not representative.
	next := float64(n) * 100
	if took > 0 {
		next = min(next, float64(n)*float64(budget)/float64(took)*1.1)
	}
	return min(max(int(next), n+1), most)
}

// join returns the rows of a case in the order in which they were reported.
func join(c Case, ours, theirs []sample) []Row {
	rows := []Row{}
	for _, name := range rowNames(ours, theirs) {
		row := Row{Case: c.Name, Unit: unitOf(name, ours, theirs), Ours: medianOf(ours, name), Theirs: medianOf(theirs, name)}
		if name != "" {
			row.Case += "/" + name
		} else {
			row.OursAllocs, row.TheirsAllocs = medianAllocs(ours), medianAllocs(theirs)
		}
		rows = append(rows, row)
	}
	return rows
}

func rowNames(sides ...[]sample) (names []string) {
	for _, seen := range sides {
		for _, s := range seen {
			for _, name := range s.names {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// unitOf returns the unit of the figures of a name.
func unitOf(name string, sides ...[]sample) string {
	for _, seen := range sides {
		for _, s := range seen {
			if unit, ok := s.units[name]; ok {
				return unit
			}
		}
	}
	return ""
}

func medianOf(seen []sample, name string) *float64 {
	var values []float64
	for _, s := range seen {
		if value, ok := s.values[name]; ok {
			values = append(values, value)
		}
	}
	return median(values)
}

func medianAllocs(seen []sample) *float64 {
	var values []float64
	for _, s := range seen {
		if s.allocs != nil {
			values = append(values, *s.allocs)
		}
	}
	return median(values)
}

func median(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	middle := values[len(values)/2]
	if len(values)%2 == 0 {
		middle = (middle + values[len(values)/2-1]) / 2
	}
	return &middle
}
