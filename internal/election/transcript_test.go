package election

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestTranscripts runs the files in testdata: each has calls and the resulting
// decisions. With -rewrite it writes the results to the files.
//
//	new                     creates an election whose random numbers are all 0.5
//	play                    makes one call per line; +2s before it advances the clock
//
// Decisions are printed when they are due, with the time since new.
//
//	join a apps             begin a [slow] [resumed]             answered a    proved a
//	failed a no-answer|broken|rejected|unrelated [retry-after=5s]
//	wait a [not-before=2s]  held a    leave a    follow a
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var p *player
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "new":
				p = newPlayer()
				return ""
			case "play":
				return p.play(t, d.Input)
			}
			require.Fail(t, "no such command", d.Cmd)
			return ""
		})
	})
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

func (p *player) play(t *testing.T, script string) string {
	p.out.Reset()
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if after, moved := strings.CutPrefix(line, "+"); moved {
			by, rest, _ := strings.Cut(after, " ")
			d, err := time.ParseDuration(by)
			require.NoError(t, err)
			p.advance(p.now.Add(d))
			line = strings.TrimSpace(rest)
		}
		if line != "" {
			p.call(t, strings.Fields(line))
			p.decide()
		}
	}
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
			word = "go on"
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
	case "begin":
		_, slow := option("slow")
		_, resumed := option("resumed")
		p.e.RequestSent(m, p.now, Kind{SlowResponse: slow, Reconnect: resumed})
	case "answered":
		p.e.ResponseReceived(m, p.now)
	case "proved":
		p.e.ContentReceived(m, p.now)
	case "failed":
		kind, ok := map[string]Failure{"no-answer": NoAnswer, "broken": Truncated, "rejected": Rejected, "unrelated": 0}[options[0]]
		require.True(t, ok, options[0])
		if !p.e.RequestFailed(m, p.now, kind, duration("retry-after"), errors.New(options[0])) && kind != 0 {
			fmt.Fprintf(&p.out, "%v %s: failed by itself\n", p.now.Sub(epoch), name)
		}
	case "wait":
		p.e.Wait(m, p.now.Add(duration("not-before")))
	case "follow":
		fmt.Fprintf(&p.out, "%v %s: follow=%v\n", p.now.Sub(epoch), name, p.e.WaitToResume(m, p.now))
	case "held":
		cause, held := p.e.ServerUnavailable(m)
		fmt.Fprintf(&p.out, "%v %s: held=%v %v\n", p.now.Sub(epoch), name, held, cause)
	case "leave":
		p.e.Leave(m, p.now)
	default:
		require.Fail(t, "no such call", words[0])
	}
}
