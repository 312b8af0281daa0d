package missing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return begin.Add(d) }

func always(l Listing) func(Resource) Listing { return func(Resource) Listing { return l } }

func named(name string) Resource { return Resource{Version: "v1", Resource: name} }

func serves(resources ...string) func(Resource) Listing {
	return func(r Resource) Listing {
		if slices.Contains(resources, r.Resource) {
			return Listed
		}
		return Absent
	}
}

// answer makes a whole round.
func answer(t *testing.T, p *Poll, r *Reader, now time.Time, listing func(Resource) Listing) {
	t.Helper()
	require.Equal(t, Step{Ask: true}, p.Step(r, now))
	p.Learned(listing)
	p.Finished(now, 0)
}

// One reader asks for all of them. A reader whose resource becomes listed is ready at
// once, whatever its own backoff is.
func TestOneReaderAsksForAll(t *testing.T) {
	var p Poll
	a, b := p.Join(named("a"), at(time.Hour), at(time.Hour)), p.Join(named("b"), at(time.Hour), at(time.Hour))
	require.Equal(t, map[Resource]struct{}{named("a"): {}, named("b"): {}}, p.Resources())
	require.Equal(t, at(Interval), p.NextRound(at(0)))
	require.Equal(t, Step{Ask: true}, p.Step(a, at(0)), "the first round begins at once")
	require.Equal(t, Step{}, p.Step(a, at(0)), "it is in progress")
	require.Equal(t, Step{}, p.Step(b, at(0)))
	p.Learned(serves())
	p.Finished(at(0), 0)
	require.Equal(t, Step{At: at(Interval)}, p.Step(a, at(0)))
	require.Equal(t, at(Interval), p.NextRound(at(time.Second)))
	answer(t, &p, a, at(Interval), serves("b"))
	require.Equal(t, Step{Ready: true}, p.Step(b, at(Interval)))
	require.Equal(t, Step{At: at(2 * Interval)}, p.Step(a, at(Interval)))
	requireLeave(t, &p, b, false, false)
	requireLeave(t, &p, a, true, true)
}

// requireLeave fails if Leave reports something else.
func requireLeave(t *testing.T, p *Poll, r *Reader, last, next bool) {
	t.Helper()
	isLast, isNext := p.Leave(r)
	require.Equal(t, last, isLast, "last")
	require.Equal(t, next, isNext, "next")
}

// A reader whose resource was listed before waits for its own backoff, which is to grow.
// If the resource disappears from the list and returns, the reader does not wait.
func TestListedAndNotServed(t *testing.T) {
	var p Poll
	a := p.Join(named("a"), at(time.Minute), at(2*time.Minute))
	answer(t, &p, a, at(0), serves("a"))
	require.Equal(t, Step{At: at(Interval)}, p.Step(a, at(0)))
	require.Equal(t, Step{Ready: true, Repeated: true}, p.Step(a, at(time.Minute)))
	answer(t, &p, a, at(Interval), serves())
	answer(t, &p, a, at(2*Interval), always(Unknown))
	answer(t, &p, a, at(3*Interval), serves("a"))
	require.Equal(t, Step{Ready: true}, p.Step(a, at(3*Interval)))
}

// When the reader that asks leaves, also during a round, another one goes on. Others may
// leave without a notice to the rest.
func TestAnotherReaderGoesOn(t *testing.T) {
	var p Poll
	a, b, other := p.Join(named("a"), at(0), at(time.Hour)), p.Join(named("b"), at(0), at(time.Hour)), p.Join(named("c"), at(0), at(time.Hour))
	require.True(t, p.Step(a, at(0)).Ask)
	require.Zero(t, p.Step(other, at(0)))
	requireLeave(t, &p, other, false, false)
	requireLeave(t, &p, a, false, true)
	answer(t, &p, b, at(0), serves())
	requireLeave(t, &p, b, true, true)
	c := p.Join(named("c"), at(0), at(time.Hour))
	require.Equal(t, Step{At: at(Interval)}, p.Step(c, at(time.Second)), "the interval also applies to the next reader")
}

// A round that fails makes no reader ready, and changes no interval. A server that asks
// to wait is not asked before.
func TestFailedRounds(t *testing.T) {
	var p Poll
	a, b := p.Join(named("a"), at(0), at(time.Hour)), p.Join(named("b"), at(0), at(time.Hour))
	for i := range time.Duration(100) {
		answer(t, &p, a, at(i*Interval), always(Unknown))
		require.False(t, p.Step(a, at(i*Interval)).Ready)
		require.False(t, p.Step(b, at(i*Interval)).Ready)
	}
	now := at(100 * Interval)
	require.True(t, p.Step(a, now).Ask)
	p.Finished(now, time.Minute)
	require.Equal(t, Step{At: now.Add(time.Minute)}, p.Step(a, now))

	now = now.Add(time.Minute)
	require.True(t, p.Step(a, now).Ask)
	now = now.Add(8 * time.Second) // a slow response
	p.Finished(now, 0)
	require.Equal(t, Step{At: now.Add(time.Second)}, p.Step(a, now))
}

// After each round one reader may try although its resource is not listed: the one that
// has waited longest, after its time has come.
func TestOneReaderTriesAfterEachRound(t *testing.T) {
	var p Poll
	var all []*Reader
	for _, name := range []string{"a", "b", "c"} {
		all = append(all, p.Join(named(name), at(0), at(time.Minute)))
	}
	answer(t, &p, all[0], at(0), serves())
	require.False(t, p.Step(all[0], at(0)).Ready)
	for i := range time.Duration(3) {
		now := at(time.Minute + i*Interval)
		answer(t, &p, all[i], now, serves())
		for j, r := range all[i:] {
			require.Equal(t, j == 0, p.Step(r, now).Ready)
			require.False(t, p.Step(r, now).Repeated)
		}
		p.Leave(all[i])
	}
	d := p.Join(named("d"), at(2*time.Minute), at(time.Hour))
	answer(t, &p, d, at(90*time.Second), always(Unavailable))
	require.False(t, p.Step(d, at(90*time.Second)).Ready)
	require.True(t, p.Step(d, at(2*time.Minute)).Ask)
	p.Finished(at(2*time.Minute), Interval)
	require.False(t, p.Step(d, at(2*time.Minute)).Ready, "the server has asked to wait")
	answer(t, &p, d, at(2*time.Minute+Interval), always(Unavailable))
	require.True(t, p.Step(d, at(2*time.Minute+Interval)).Ready, "the list is unavailable, and its own backoff has passed")
}

// Whatever readers do, at most one round is in progress, and two rounds have a distance of
// Interval, except after a reader has left during one. Per round at most one reader becomes
// ready whose resource is not listed. A reader whose resource becomes listed is ready.
func TestPollInvariants(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var p Poll
		now, last := begin, begin.Add(-time.Hour)
		rounds, turns := 0, 0
		var readers []*Reader
		var asking *Reader
		ready := map[*Reader]bool{}
		for range 300 {
			now = now.Add(time.Duration(random.IntN(2000)) * time.Millisecond)
			switch n := random.IntN(10); {
			case n < 2:
				own := now.Add(time.Duration(random.IntN(20)) * time.Second)
				readers = append(readers, p.Join(named(fmt.Sprint(random.IntN(5))), now.Add(time.Duration(random.IntN(5))*time.Second), own))
			case n < 4 && len(readers) > 0:
				i := random.IntN(len(readers))
				if readers[i] == asking {
					asking, last = nil, begin.Add(-time.Hour)
				}
				requireLeave(t, &p, readers[i], len(readers) == 1, p.poller == readers[i])
				readers = slices.Delete(readers, i, i+1)
			case n < 6 && asking != nil:
				asking = nil
				p.Learned(func(r Resource) Listing { return Listing((int(r.Resource[0]) + random.IntN(2)) % 4) })
				p.Finished(now, time.Duration(random.IntN(2)*random.IntN(10))*time.Second)
				rounds++
			}
			for _, r := range readers {
				step := p.Step(r, now)
				if step.Ask {
					require.Nil(t, asking, "seed %d: two rounds", seed)
					require.GreaterOrEqual(t, now.Sub(last), Interval, "seed %d", seed)
					asking, last = r, now
				}
				if step.Ready && r.listing != Listed && !ready[r] {
					ready[r] = true
					turns++
				}
				if step.Repeated {
					require.False(t, now.Before(r.notBefore), "seed %d", seed)
				}
				require.True(t, step.At.IsZero() || step.At.After(now), "seed %d", seed)
			}
		}
		require.LessOrEqual(t, turns, rounds, "seed %d", seed)
		p.Learned(always(Absent))
		p.Learned(always(Listed))
		for _, r := range readers {
			require.Equal(t, Step{Ready: true}, p.Step(r, now), "seed %d", seed)
		}
	}
}
