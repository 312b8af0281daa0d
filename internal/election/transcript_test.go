package election

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/machinetest"
)

// TestTranscripts runs the transcripts in testdata with an election whose random
// numbers are all 0.5. Decisions are printed when they are due, with the time since
// new. The inputs are:
//
//	join a apps                                     Join, with the group
//	send a [slow] [reconnect]                       RequestSent
//	response a                                      ResponseReceived
//	content a                                       ContentReceived
//	failed a no-answer|truncated|rejected|unrelated [retry-after=5s]
//	wait a [not-before=2s]                          Wait
//	unavailable a                                   ServerUnavailable
//	resume a                                        WaitToResume
//	leave a                                         Leave
func TestTranscripts(t *testing.T) {
	machinetest.Run(t, func(*testing.T, *datadriven.TestData) machinetest.Machine { return newPlayer() })
}

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// player is an election with a clock.
type player struct {
	e       *Election
	now     time.Time
	next    time.Time
	members map[string]*Member
	names   map[*Member]string
	out     strings.Builder
}

func newPlayer() *player {
	return &player{e: New(func() float64 { return 0.5 }, true), now: epoch, members: map[string]*Member{}, names: map[*Member]string{}}
}

func (p *player) Advance(d time.Duration) { p.advance(p.now.Add(d)) }

func (p *player) Input(t *testing.T, line string) {
	p.call(t, strings.Fields(line))
	p.decide()
}

func (p *player) Output() string {
	defer p.out.Reset()
	return p.out.String()
}

// advance advances the clock and calls Decide whenever it is due.
func (p *player) advance(to time.Time) {
	for range 10000 {
		if p.next.IsZero() || p.next.After(to) {
			p.now = to
			return
		}
		p.now = p.next
		p.decide()
	}
	panic("a decision is due repeatedly")
}

func (p *player) decide() {
	var actions []Action
	actions, p.next = p.e.Decide(p.now)
	for _, a := range actions {
		word := "abandon"
		if a.Grant {
			word = "proceed"
		}
		if a.Probe {
			word = "probe"
		}
		if a.Fresh {
			word += " on a new connection"
		}
		fmt.Fprintf(&p.out, "%v %s: %s\n", p.now.Sub(epoch), p.names[a.Member], word)
	}
}

func (p *player) call(t *testing.T, words []string) {
	require.Greater(t, len(words), 1, "%q", words)
	name, options := words[1], words[2:]
	m := p.members[name]
	option := func(key string) (value string, ok bool) {
		for _, o := range options {
			if k, v, _ := strings.Cut(o, "="); k == key {
				return v, true
			}
		}
		return "", false
	}
	duration := func(key string) time.Duration {
		value, ok := option(key)
		if !ok {
			return 0
		}
		d, err := time.ParseDuration(value)
		require.NoError(t, err)
		return d
	}
	switch words[0] {
	case "join":
		m = p.e.Join(options[0])
		p.members[name], p.names[m] = m, name
	case "send":
		_, slow := option("slow")
		_, reconnect := option("reconnect")
		p.e.RequestSent(m, p.now, Kind{SlowResponse: slow, Reconnect: reconnect})
	case "response":
		p.e.ResponseReceived(m, p.now)
	case "content":
		p.e.ContentReceived(m, p.now)
	case "failed":
		kind, ok := map[string]Failure{"no-answer": NoAnswer, "truncated": Truncated, "rejected": Rejected, "unrelated": 0}[options[0]]
		require.True(t, ok, options[0])
		if !p.e.RequestFailed(m, p.now, kind, duration("retry-after"), errors.New(options[0])) && kind != 0 {
			fmt.Fprintf(&p.out, "%v %s: own failure\n", p.now.Sub(epoch), name)
		}
	case "wait":
		p.e.Wait(m, p.now.Add(duration("not-before")))
	case "resume":
		fmt.Fprintf(&p.out, "%v %s: wait=%v\n", p.now.Sub(epoch), name, p.e.WaitToResume(m, p.now))
	case "unavailable":
		cause, unavailable := p.e.ServerUnavailable(m)
		fmt.Fprintf(&p.out, "%v %s: unavailable=%v %v\n", p.now.Sub(epoch), name, unavailable, cause)
	case "leave":
		p.e.Leave(m, p.now)
	default:
		require.Fail(t, "unknown input", words[0])
	}
}
