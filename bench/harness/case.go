package harness

import (
	"errors"
	"strings"
)

// A Case is one piece of work that both sides do.
type Case struct {
	// Name is group/case. It never changes, since figures are compared by it.
	Name string
	// About describes in one line what both sides do.
	About string
	// Unit is the unit of the figure: "ns/op", "us/op", "ms/op", or any other if the sides
	// report their own figures.
	Unit string
	// N is the number of operations of a round. 0 means as many as fill the budget of a
	// round on the slower side. Sides that do not call Start need it set.
	N int
	// Rounds is the maximum number of rounds of this case. 0 means that of the plan.
	Rounds int
	// Ours and Theirs create the two sides, once for all rounds and untimed. nil means that
	// the library has no counterpart.
	Ours, Theirs func() Side
	// Typed creates the typed implementation if ours is an untyped layer over it. Its rounds
	// are interleaved with the others. It has its own rows: case/typed, and case/kept,
	// which is the part of its ratio to theirs that the layer keeps. nil means that ours is
	// not such a layer.
	Typed func() Side
	// Together creates one side that measures both libraries at the same time, for a case in
	// which both must receive the same events. Ours, Theirs and Typed are nil then, and N is
	// 1.
	Together func() func(ours, theirs *Meter)
	// OnlyNamed excludes the case from a run whose expression does not contain the part of
	// its name before the slash, because it takes long.
	OnlyNamed bool
}

// A Side does one round of a case. It calls Start and Stop around the work that counts.
type Side func(*Meter)

// IsNamedBy reports whether a run with the expression includes this case, which matches
// it. With OnlyNamed, the expression must contain the part of the name before the
// slash.
func (c Case) IsNamedBy(expression string) bool {
	group, _, _ := strings.Cut(c.Name, "/")
	return !c.OnlyNamed || strings.Contains(expression, group)
}

// Validate returns an error if the definition of the case is invalid.
func (c Case) Validate() error {
	switch {
	case !strings.Contains(c.Name, "/"):
		return errors.New(c.Name + ": the name of a case is group/case")
	case c.About == "" || strings.Contains(c.About, "\n"):
		return errors.New(c.Name + ": want one line that describes what both sides do")
	case c.Unit == "":
		return errors.New(c.Name + ": want a unit")
	case c.Together != nil && (c.Ours != nil || c.Theirs != nil || c.Typed != nil || c.N != 1):
		return errors.New(c.Name + ": want no other side beside Together, and N 1")
	case c.Together == nil && c.Ours == nil && c.Theirs == nil:
		return errors.New(c.Name + ": want at least one side")
	}
	return nil
}
