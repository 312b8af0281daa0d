package harness

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Contest is a case with any number of sides, for the choice between designs.
type Contest struct {
	// Name, About, Unit and N are as in a Case.
	Name, About, Unit string
	N                 int
	// Sides creates the sides, nil for one without a counterpart.
	Sides []func() Side
}

// Standing is one line of the result of a contest. It has a figure for each side, nil if
// there is none.
type Standing struct {
	Contest, Unit string
	Figures       []*float64
	// Err is the reason if the contest has no figures.
	Err error
}

// Hold measures a contest. The rounds of the sides are interleaved, and each round begins
// with another side.
func (p Plan) Hold(c Contest) (standings []Standing) {
	defer func() {
		if cause := recover(); cause != nil {
			standings = []Standing{{Contest: c.Name, Unit: c.Unit, Err: fmt.Errorf("panic: %v", cause)}}
		}
	}()
	sides := make([]Side, len(c.Sides))
	for i := range sides {
		sides[i] = made(c.Sides[i])
	}
	n := c.N
	if n == 0 {
		n = p.calibrate(sides...)
	}
	seen := make([][]sample, len(sides))
	for round := range p.Rounds {
		if p.Progress != nil {
			p.Progress(Case{Name: c.Name}, round+1, p.Rounds)
		}
		for turn := range sides {
			i := (round + turn) % len(sides)
			seen[i] = p.round(seen[i], sides[i], n, c.Unit)
		}
	}
	return standingsOf(c, seen)
}

func standingsOf(c Contest, seen [][]sample) (standings []Standing) {
	for _, name := range rowNames(seen...) {
		s := Standing{Contest: c.Name, Unit: unitOf(name, seen...)}
		if name != "" {
			s.Contest += "/" + name
		}
		for _, samples := range seen {
			s.Figures = append(s.Figures, medianOf(samples, name))
		}
		standings = append(standings, s)
	}
	if !slices.ContainsFunc(standings, func(s Standing) bool { return s.Contest == c.Name }) {
		return append(standings, Standing{Contest: c.Name, Unit: c.Unit, Err: fmt.Errorf("no side has reported anything")})
	}
	return standings
}

// Columns is a table with a column for each side of a contest.
type Columns struct {
	w     io.Writer
	width int
}

// NewColumns prints the head of a table of the contests by that name, each with
// those sides.
func NewColumns(w io.Writer, contests []Contest, sides []string) (Columns, error) {
	c := Columns{w, len("case")}
	for _, contest := range contests {
		c.width = max(c.width, len(contest.Name)+len("/bytes"))
	}
	return c, c.line("case", "unit", sides)
}

// Standing prints one line.
func (c Columns) Standing(s Standing) error {
	if s.Err != nil {
		_, err := fmt.Fprintf(c.w, "%-*s  FAILED: %s\n", c.width, s.Contest, strings.ReplaceAll(s.Err.Error(), "\n", " "))
		return err
	}
	var figures []string
	for _, figure := range s.Figures {
		figures = append(figures, brief(figure))
	}
	return c.line(s.Contest, s.Unit, figures)
}

func (c Columns) line(name, unit string, cells []string) error {
	line := fmt.Sprintf("%-*s  %-8s", c.width, name, unit)
	for _, cell := range cells {
		line += fmt.Sprintf(" %10s", cell)
	}
	_, err := fmt.Fprintln(c.w, line)
	return err
}
