package harness

import (
	"errors"
	"strings"
)

// A Case is one piece of work that both sides do.
type Case struct {
	// Name is room/what, and never changes: figures are compared by it.
	Name string
	// About says in one line what both sides do.
	About string
	// Unit is what the figure is in: "ns/op", "us/op", "ms/op", or anything
	// else if the sides report figures of their own.
	Unit string
	// N is the number of operations of a round. 0: as many as fill the round's
	// budget on the slower side. Sides that do not call Start need it set.
	N int
	// Rounds are enough for this case, if the plan has more. 0: the plan's.
	Rounds int
	// Ours and Theirs make the two sides, once for all rounds, untimed.
	// nil: that side has nothing of the kind.
	Ours, Theirs func() Side
	// Typed makes the room beneath, where ours is the untyped layer over one. Its
	// rounds are interleaved with the others', and it has rows of its own:
	// case/typed, and case/kept, which is how much of the room's ratio to theirs
	// the layer keeps. nil: ours is no such layer.
	Typed func() Side
}

// A Side does one round of a case: it prepares what it needs, and calls Start
// and Stop around what counts.
type Side func(*Meter)

// Validate returns what is wrong with the case as it is written down.
func (c Case) Validate() error {
	switch {
	case !strings.Contains(c.Name, "/"):
		return errors.New(c.Name + ": a case is named room/what")
	case c.About == "" || strings.Contains(c.About, "\n"):
		return errors.New(c.Name + ": want one line on what both sides do")
	case c.Unit == "":
		return errors.New(c.Name + ": want a unit")
	case c.Ours == nil && c.Theirs == nil:
		return errors.New(c.Name + ": want at least one side")
	}
	return nil
}
