package informers

import (
	"fmt"
	"math/rand/v2"
)

// selectedLabel is the label of selectors, which select the value "yes".
const selectedLabel = "selected"

// finalizer keeps deleted objects for a while.
const finalizer = "example.com/hold"

// action is a kind of write.
type action string

const (
	create   action = "create"
	change   action = "change"
	flip     action = "flip"    // in or out of the selection
	drop     action = "delete"  // an object with a finalizer remains until release
	release  action = "release" // removes the finalizer of a deleted object
	recreate action = "recreate"
)

// write is an action of a plan.
type write struct {
	action   action
	kind     *kind
	name     string
	serial   int
	selected bool // after the write
	held     bool // of a new object: with a finalizer
}

// planned is the state of an object after all planned writes.
type planned struct{ exists, selected, held, going bool }

// plan generates random writes. All succeed, since there are no other writers.
type plan struct {
	kinds  []*kind
	rand   *rand.Rand
	serial int
	states map[*kind]map[string]*planned
}

func newPlan(seed uint64, kinds ...*kind) *plan {
	return &plan{kinds: kinds, rand: rand.New(rand.NewPCG(seed, 0)), states: map[*kind]map[string]*planned{}}
}

const (
	namesPerKind   = 12
	writesPerRound = 10
)

// round returns writes to different objects, which may be done concurrently.
func (p *plan) round() (writes []write) {
	type place struct {
		kind *kind
		name string
	}
	taken := map[place]bool{}
	for len(writes) < writesPerRound {
		at := place{p.kinds[p.rand.IntN(len(p.kinds))], fmt.Sprintf("it-%d", p.rand.IntN(namesPerKind))}
		if !taken[at] {
			taken[at] = true
			writes = append(writes, p.write(at.kind, at.name))
		}
	}
	return writes
}

func (p *plan) write(k *kind, name string) write {
	if p.states[k] == nil {
		p.states[k] = map[string]*planned{}
	}
	s := p.states[k][name]
	if s == nil {
		s = &planned{}
		p.states[k][name] = s
	}
	p.serial++
	w := write{kind: k, name: name, serial: p.serial, action: p.draw(s)}
	switch w.action {
	case create, recreate:
		*s = planned{exists: true, selected: p.rand.IntN(2) == 0, held: p.rand.IntN(4) == 0}
	case flip:
		s.selected = !s.selected
	case drop:
		s.going, s.exists = s.held, s.held
	case release:
		*s = planned{}
	}
	w.selected, w.held = s.selected, s.held
	return w
}

func (p *plan) draw(s *planned) action {
	n := p.rand.IntN(10)
	switch {
	case !s.exists:
		return create
	case s.going && n < 6:
		return release
	case s.going:
		return []action{change, change, flip, flip}[n-6]
	case n < 5:
		return change
	case n < 7:
		return flip
	case n < 9 || s.held:
		return drop
	}
	return recreate
}
