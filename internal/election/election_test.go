package election

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var errDown = errors.New("down")

// probesWithin counts the probes of one member whose attempts fail at once.
func probesWithin(d time.Duration, kind Failure) (first, last int) {
	e, now := New(func() float64 { return 0.5 }, true), epoch
	m := e.Join("apps")
	e.RequestSent(m, now, Kind{})
	for now.Before(epoch.Add(d)) {
		e.RequestFailed(m, now, kind, 0, errDown)
		e.Wait(m, now)
		for {
			actions, next := e.Decide(now)
			if len(actions) > 0 {
				break
			}
			now = next
		}
		e.RequestSent(m, now, Kind{})
		switch {
		case now.Before(epoch.Add(time.Minute / 2)):
			first++
		case now.After(epoch.Add(d - time.Minute/2)):
			last++
		}
	}
	return first, last
}

// A server that is down is probed more than once a second, however long it is down.
// A group that is down for long is probed less often.
func TestLongDownGroupIsProbedLessOften(t *testing.T) {
	first, last := probesWithin(time.Hour, NoAnswer)
	require.InDelta(t, 52, first, 1)
	require.InDelta(t, 44, last, 1)
	first, last = probesWithin(time.Hour, Rejected)
	require.InDelta(t, 52, first, 1)
	require.InDelta(t, 3, last, 1)
}

// With 50 members, all resume within half a second.
func TestMembersResumeWithinHalfASecond(t *testing.T) {
	e, now := New(func() float64 { return 0.5 }, true), epoch
	members := make([]*Member, 50)
	for i := range members {
		members[i] = e.Join("core")
		e.RequestSent(members[i], now, Kind{})
	}
	for _, m := range members {
		require.True(t, e.RequestFailed(m, now, NoAnswer, 0, errDown))
		e.Wait(m, now)
	}
	var prober *Member
	for prober == nil || now.Sub(epoch) < 3*time.Second {
		if prober != nil {
			e.RequestSent(prober, now, Kind{})
			e.RequestFailed(prober, now, NoAnswer, 0, errDown)
			e.Wait(prober, now)
			prober = nil
		}
		actions, next := e.Decide(now)
		if len(actions) > 0 {
			require.Len(t, actions, 1)
			prober = actions[0].Member
		} else {
			now = next
		}
	}
	e.RequestSent(prober, now, Kind{})
	e.ResponseReceived(prober, now)
	answered, most := now, 0
	for gone := 1; gone < len(members); {
		actions, next := e.Decide(now)
		gone, most = gone+len(actions), max(most, len(actions))
		now = next
	}
	require.Equal(t, 1, most, "one after another")
	require.LessOrEqual(t, now.Sub(answered), maxSpread)
}

// For any order of events: there is one probe at a time, probes are a part of a second
// apart unless another scope has recovered or a probe has timed out in between, and
// members that wait resume when the server responds.
func FuzzElection(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
	f.Add([]byte{8, 8, 16, 16, 24, 24, 9, 17, 25, 40, 48, 56, 8, 16, 24, 3, 3})
	f.Fuzz(func(t *testing.T, script []byte) {
		e, now := New(func() float64 { return 0.25 }, true), epoch
		groups := []string{"core", "core", "apps", "batch"}
		members := make([]*Member, len(groups))
		for i, g := range groups {
			members[i] = e.Join(g)
		}
		decide := func() (next time.Time) {
			var actions []Action
			for range 100 {
				var acts []Action
				acts, next = e.Decide(now)
				actions = append(actions, acts...)
				if next.IsZero() || next.After(now) {
					break
				}
			}
			require.False(t, !next.IsZero() && !next.After(now), "a decision is due repeatedly")
			for _, a := range actions {
				if !a.Grant {
					require.Equal(t, attempting, a.Member.phase)
				} else if a.Probe {
					require.Equal(t, a.Member, a.Member.probes.prober)
				}
			}
			return next
		}
		for _, b := range script {
			m := members[int(b>>3)%len(members)]
			switch _, held := e.ServerUnavailable(m); b & 7 {
			case 0, 1:
				if (m.phase == idle || m.phase == granted) && !held {
					e.RequestSent(m, now, Kind{SlowResponse: b&64 != 0, Reconnect: b&128 != 0})
				}
			case 2:
				e.ResponseReceived(m, now)
			case 3:
				e.ContentReceived(m, now)
			case 4, 5:
				if m.phase == attempting || m.phase == answered {
					kind := Failure(b>>5) % 4
					if m.phase == answered && kind != 0 {
						kind = Truncated
					}
					e.RequestFailed(m, now, kind, time.Duration(b>>6)*time.Second, errDown)
					e.Wait(m, now)
				} else if held {
					e.Wait(m, now)
				}
			case 6:
				now = now.Add(time.Duration(b>>3) * 100 * time.Millisecond)
			case 7:
				if b != 255 && m.phase == idle {
					e.WaitToResume(m, now)
				}
				if b == 255 {
					e.Leave(m, now)
					members[int(b>>3)%len(members)] = e.Join(m.group)
				}
			}
			decide()
		}
		// From now on each attempt gets a response at once. No member waits for longer
		// than a Retry-After, the attempts under way, and a round of probes.
		end := now.Add(3*time.Second + headerTimeout<<(maxDoublings+1) + time.Duration(len(members))*(headerTimeout+maxProbeInterval))
		for now.Before(end) {
			next := decide()
			for _, m := range members {
				switch _, held := e.ServerUnavailable(m); {
				case m.phase != granted && m.phase != idle:
				case held: // another member is granted instead
					e.Wait(m, now)
				default:
					e.RequestSent(m, now, Kind{})
				}
				if m.phase == attempting && m.abandoned {
					e.RequestFailed(m, now, NoAnswer, 0, errDown)
					e.Wait(m, now)
					continue
				}
				e.ResponseReceived(m, now)
				e.ContentReceived(m, now)
			}
			if after := decide(); next.IsZero() || after.Before(next) {
				next = after
			}
			if !next.After(now) {
				next = now.Add(100 * time.Millisecond)
			}
			now = next
		}
		for i, m := range members {
			require.NotEqual(t, waiting, m.phase, "member %d waits forever", i)
			_, held := e.ServerUnavailable(m)
			require.False(t, held, "member %d is held forever", i)
		}
	})
}
