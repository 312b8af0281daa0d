package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Plan is how long and how often to measure.
type Plan struct {
	// Rounds that each side does, after calibration.
	Rounds int
	// Heavy is the most that a case does which asks for fewer rounds than others,
	// since each takes long. 0: what it asks for.
	Heavy int
	// Budget of a round for cases that are not given a number of operations.
	Budget time.Duration
	// Progress is told before each round; nil: nobody.
	Progress func(c Case, round, of int)
}

// Row is one line of the result. A nil figure is one that is not there.
type Row struct {
	Case         string
	Unit         string
	Ours, Theirs *float64
	// Allocations for each operation.
	OursAllocs, TheirsAllocs *float64
	// Err is why the case has no figures.
	Err error
}

// Ratio is theirs over ours: how many times less ours takes. nil if one of them
// is missing or ours is nothing, or less: some figures are differences.
func (r Row) Ratio() *float64 {
	if r.Ours == nil || r.Theirs == nil || *r.Ours <= 0 {
		return nil
	}
	ratio := *r.Theirs / *r.Ours
	return &ratio
}

// Run measures a case. A panic of either side is the case's failure: one row
// that says so.
func (p Plan) Run(c Case) (rows []Row) {
	defer func() {
		if cause := recover(); cause != nil {
			rows = []Row{{Case: c.Name, Unit: c.Unit, Err: fmt.Errorf("panic: %v", cause)}}
		}
	}()
	if err := c.Validate(); err != nil {
		return []Row{{Case: c.Name, Unit: c.Unit, Err: err}}
	}
	sides := []Side{made(c.Ours), made(c.Theirs), made(c.Typed)}
	n := c.N
	if n == 0 {
		n = p.calibrate(sides...)
	}
	rounds := p.Rounds
	if c.Rounds > 0 {
		rounds = min(rounds, c.Rounds, cmp.Or(p.Heavy, c.Rounds))
	}
	if c.Typed == nil {
		sides = sides[:2]
	}
	seen := make([][]sample, 3)
	for round := range rounds {
		if p.Progress != nil {
			p.Progress(c, round+1, rounds)
		}
		for turn := range sides {
			// Who goes first alternates: those behind find the machine warmer.
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

// rowsOfTyped are those of the room beneath: its own, and what of its ratio ours
// keeps. Theirs cancels out: it is the quotient of the figures of ours and of the
// room.
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

// round runs a side once, if it is there, and adds what it came to.
func (p Plan) round(seen []sample, side Side, n int, unit string) []sample {
	if side == nil {
		return seen
	}
	meter := &Meter{N: n, Budget: p.Budget}
	side(meter)
	return append(seen, meter.sample(unit))
}

// calibrate finds how many operations fill the budget on the slower side. It is
// the warm-up as well.
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

// grown is the next number of operations to try, or n itself if it will do.
func grown(n int, took, budget time.Duration) int {
	const most = 100_000_000
	if took >= budget*8/10 || n >= most {
		return n
	}
	// At most a hundredfold, for the first operations tell little of the rest.
	next := float64(n) * 100
	if took > 0 {
		next = min(next, float64(n)*float64(budget)/float64(took)*1.1)
	}
	return min(max(int(next), n+1), most)
}

// join makes the rows: the case's own first, then the further ones in the order
// in which they were reported.
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

// unitOf is what the figures of that name are in, on all sides.
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
