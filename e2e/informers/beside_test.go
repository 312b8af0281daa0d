package informers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Under churn, with connections that break and a server that is killed, both
// sides end up with what the server has, and so does whoever has heard their
// handlers. As long as the server lives, broken connections make nobody of ours
// read everything again, and ours are told each change once.
func TestBesideClientGo(t *testing.T) {
	number := seed(t)
	s := newScene(t)
	s.define(widgetsDefinition, widgets)
	for _, about := range subjects() {
		s.read(about, false)
		s.read(about, true)
	}
	s.run()
	s.checkModes()

	c := &churn{scene: s, plan: newPlan(number, churned...), dice: rand.New(rand.NewPCG(number, 1))}
	half := *roundsFlag / 2
	c.rounds(half)
	s.checkComplete()

	c.crash()
	c.rounds(*roundsFlag - half)
	s.checkEnd()
	s.figures()
	t.Logf("waited for %d own writes", c.waits)
}

// churn is what goes on during a test.
type churn struct {
	*scene
	plan  *plan
	dice  *rand.Rand
	round int
	waits int // for own writes
}

// rounds writes, breaks connections meanwhile, and has informers wait for what
// was written.
func (c *churn) rounds(n int) {
	for range n {
		c.round++
		writes := c.plan.round()
		done := make(chan error, 1)
		go func() { done <- c.writer.round(c.t.Context(), writes) }()
		if c.dice.IntN(3) == 0 {
			c.ourWire.cut(c.anywhere())
		}
		if c.dice.IntN(3) == 0 {
			c.theirWire.cut(c.anywhere())
		}
		require.NoError(c.t, <-done)
		if c.dice.IntN(5) == 0 {
			c.seeOwnWrites(writes)
		}
	}
}

// anywhere is after how many bytes a connection breaks.
func (c *churn) anywhere() int64 { return max(0, c.dice.Int64N(6000)-1000) }

// seeOwnWrites: when WaitForVersion has returned, what was written can be read.
func (c *churn) seeOwnWrites(writes []write) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), oursSettle)
	defer cancel()
	for _, one := range writes {
		made := c.writer.last(one.kind, one.name)
		if made.sight == (sight{}) {
			continue
		}
		for _, p := range c.pairs {
			if p.kind != one.kind || p.view.selected && !made.selected {
				continue
			}
			c.waits++
			if err := p.ours.WaitForVersion(ctx, made.version); err != nil {
				c.fail(p, fmt.Sprintf("round %d", c.round), wrongAbout(made.key, "%v", err))
				c.t.FailNow()
			}
			if got := p.ours.get(made.key); got != made.sight {
				c.fail(p, fmt.Sprintf("round %d: after WaitForVersion(%s)", c.round, made.version),
					wrongAbout(made.key, "it is %s and should be %s", got, made.sight))
			}
		}
	}
}

// crash kills the server with events under way to theirs, and with more that ours
// have missed; it lets clients run into nothing for a moment, and has it back.
func (c *churn) crash() {
	c.ourWire.hold()
	for range 3 {
		require.NoError(c.t, c.writer.round(c.t.Context(), c.plan.round()))
	}
	require.NoError(c.t, c.servers.KillAPIServer())
	c.ourWire.release()
	said := eventually(c.t.Context(), oursSettle, func() string {
		for _, p := range c.pairs {
			if err := p.ours.State().Source.Err; err == nil {
				return fmt.Sprintf("%s: the server is gone, and that is no failure", p)
			}
		}
		return ""
	})
	require.Empty(c.t, said)
	require.NoError(c.t, c.servers.RestartAPIServer(c.t.Context()))
	for _, k := range churned {
		c.reachable(k)
	}
}
