package informers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Under churn, with connections that break and a server that is killed, the stores and the
// notifications of both libraries converge to the objects of the server. As long as the
// server runs, our informers do not list again after broken connections, and their handlers
// receive each change once.
func TestInformersOfBothLibrariesConverge(t *testing.T) {
	number := seed(t)
	s := newFixture(t)
	s.define(widgetsDefinition, widgets)
	for _, about := range subjects() {
		s.read(about, false)
		s.read(about, true)
	}
	s.run()
	s.checkModes()

	c := &churn{fixture: s, plan: newPlan(number, churned...), dice: rand.New(rand.NewPCG(number, 1))}
	half := *roundsFlag / 2
	c.rounds(half)
	s.checkComplete()

	c.crash()
	c.rounds(*roundsFlag - half)
	s.checkEnd()
	s.figures()
	t.Logf("waited for %d own writes", c.waits)
}

// churn writes objects and breaks connections during a test.
type churn struct {
	*fixture
	plan  *plan
	dice  *rand.Rand
	round int
	waits int // for own writes
}

// rounds writes, breaks connections in the meantime, and lets informers wait for the
// writes.
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

// anywhere returns the number of bytes after which a connection breaks.
func (c *churn) anywhere() int64 { return max(0, c.dice.Int64N(6000)-1000) }

// seeOwnWrites checks that a write is in the store after WaitForVersion.
func (c *churn) seeOwnWrites(writes []write) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), oursSettle)
	defer cancel()
	for _, one := range writes {
		made := c.writer.last(one.kind, one.name)
		if made.objectState == (objectState{}) {
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
			if got := p.ours.get(made.key); got != made.objectState {
				c.fail(p, fmt.Sprintf("round %d: after WaitForVersion(%s)", c.round, made.version),
					wrongAbout(made.key, "got %s, want %s", got, made.objectState))
			}
		}
	}
}

// crash kills the server while client-go's informers receive events and ours are
// disconnected. It restarts the server when our informers have reported the failure.
func (c *churn) crash() {
	c.ourWire.hold()
	for range 3 {
		require.NoError(c.t, c.writer.round(c.t.Context(), c.plan.round()))
	}
	require.NoError(c.t, c.servers.KillAPIServer())
	c.ourWire.release()
	message := eventually(c.t.Context(), oursSettle, func() string {
		for _, p := range c.pairs {
			if err := p.ours.State().Source.Err; err == nil {
				return fmt.Sprintf("%s: the server does not run, and the informer reports no error", p)
			}
		}
		return ""
	})
	require.Empty(c.t, message)
	require.NoError(c.t, c.servers.RestartAPIServer(c.t.Context()))
	for _, k := range churned {
		c.reachable(k)
	}
}
