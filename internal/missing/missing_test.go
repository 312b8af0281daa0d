package missing

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return begin.Add(d) }

func none(string) bool { return false }

func serves(resources ...string) func(string) bool {
	return func(r string) bool { return slices.Contains(resources, r) }
}

// One reader requests the list, for all of them. A reader whose resource is in the list
// is ready when its own backoff has passed.
func TestOneReaderPollsForAll(t *testing.T) {
	var p Poll[string]
	a, b := p.Join("a", at(time.Second)), p.Join("b", at(2*time.Second))
	require.Equal(t, Step{Request: true}, p.Step(a, at(0)), "the first request is made at once")
	require.Equal(t, Step{}, p.Step(a, at(0)), "it is in progress")
	require.Equal(t, Step{}, p.Step(b, at(0)))
	p.Answered(at(0), none)
	require.Equal(t, Step{At: at(Interval)}, p.Step(a, at(0)))
	require.Equal(t, Step{}, p.Step(b, at(10*time.Second)), "its own backoff does not end the wait")
	require.Equal(t, Step{Request: true}, p.Step(a, at(Interval)))
	p.Answered(at(Interval), serves("b"))
	require.Equal(t, Step{Ready: true}, p.Step(b, at(Interval)))
	require.Equal(t, Step{At: at(2 * Interval)}, p.Step(a, at(Interval)))
	require.False(t, p.Leave(b))

	late := p.Join("b", at(time.Minute))
	require.Equal(t, Step{Request: true}, p.Step(a, at(2*Interval)))
	p.Answered(at(2*Interval), serves("b"))
	require.Equal(t, Step{At: at(time.Minute)}, p.Step(late, at(2*Interval)), "a resource that is in the list and not served")
	require.Equal(t, Step{Ready: true}, p.Step(late, at(time.Minute)))
}

// When the reader that makes the requests leaves, also during one, another one goes on.
func TestAnotherReaderGoesOn(t *testing.T) {
	var p Poll[string]
	a, b := p.Join("a", at(0)), p.Join("b", at(0))
	require.True(t, p.Step(a, at(0)).Request)
	require.False(t, p.Leave(a))
	require.True(t, p.Step(b, at(0)).Request)
	p.Answered(at(0), none)
	require.True(t, p.Leave(b))
	c := p.Join("c", at(0))
	require.Equal(t, Step{At: at(Interval)}, p.Step(c, at(time.Second)), "the interval also applies to the next reader")
}

// While the list cannot be read, the readers use their own backoff, and the requests
// become rarer.
func TestUnreadableList(t *testing.T) {
	var p Poll[string]
	a, b := p.Join("a", at(time.Hour)), p.Join("b", at(time.Second))
	now := at(0)
	var waits []time.Duration
	for range 8 {
		require.True(t, p.Step(a, now).Request)
		p.Failed(now)
		next := p.Step(a, now).At
		waits = append(waits, next.Sub(now))
		now = next
	}
	require.Equal(t, []time.Duration{3 * time.Second, 6 * time.Second, 12 * time.Second, 24 * time.Second, 48 * time.Second, time.Minute, time.Minute, time.Minute}, waits)
	require.True(t, p.Step(b, now).Ready)
	require.True(t, p.Step(a, now).Request)
	p.Answered(now, none)
	require.Equal(t, Step{}, p.Step(b, now), "the list can be read again")
}

// Whatever readers do, at most one request is in progress, and two requests have a
// distance of Interval, except after a reader has left during one. A reader whose
// resource is served becomes ready.
func TestPollInvariants(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var p Poll[int]
		now, last := begin, begin.Add(-time.Hour)
		var readers []*Reader[int]
		var requesting *Reader[int]
		for range 300 {
			now = now.Add(time.Duration(random.IntN(2000)) * time.Millisecond)
			switch n := random.IntN(10); {
			case n < 2:
				readers = append(readers, p.Join(random.IntN(5), now.Add(time.Duration(random.IntN(5))*time.Second)))
			case n < 4 && len(readers) > 0:
				i := random.IntN(len(readers))
				if readers[i] == requesting {
					requesting, last = nil, begin.Add(-time.Hour)
				}
				require.Equal(t, len(readers) == 1, p.Leave(readers[i]))
				readers = slices.Delete(readers, i, i+1)
			case n < 6 && requesting != nil:
				requesting = nil
				if random.IntN(3) == 0 {
					p.Failed(now)
				} else {
					p.Answered(now, func(r int) bool { return r == 0 })
				}
				last = now
			}
			for _, r := range readers {
				step := p.Step(r, now)
				if step.Request {
					require.Nil(t, requesting, "seed %d: two requests", seed)
					require.GreaterOrEqual(t, now.Sub(last), Interval, "seed %d", seed)
					requesting = r
				}
				if step.Ready {
					require.False(t, now.Before(r.notBefore), "seed %d", seed)
				}
				require.True(t, step.At.IsZero() || step.At.After(now), "seed %d", seed)
			}
		}
		if len(readers) == 0 {
			continue
		}
		now = now.Add(time.Hour)
		p.Answered(now, func(int) bool { return true })
		for _, r := range readers {
			require.True(t, p.Step(r, now).Ready, "seed %d", seed)
		}
	}
}
