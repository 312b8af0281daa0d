package leader

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newMachine(identity string) *machine {
	return &machine{
		identity: identity, lasts: 15 * time.Second, renewDeadline: 10 * time.Second, retryPeriod: 2 * time.Second,
		random: func() float64 { return 0 },
	}
}

// stored is what the server has, at some version.
func stored(version int, r record) *lease {
	l := leaseOf(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"resourceVersion": fmt.Sprint(version)}}})
	return l.with(r)
}

// A holder is waited for from when its record was first seen, for as long as its
// own Lease says.
func TestAHolderIsWaitedFor(t *testing.T) {
	for says, want := range map[int32]time.Duration{15: 15 * time.Second, 60: time.Minute, 3: 3 * time.Second, 0: 15 * time.Second, -1: 15 * time.Second} {
		m := newMachine("a")
		held := record{holder: "b", seconds: says, renew: "some day"}
		m.has(stored(1, held), start)
		now := start
		for version := 1; ; version++ {
			s := m.next(now)
			if s.do == write {
				break
			}
			if s.do == wait {
				now = s.until
				continue
			}
			m.has(stored(version, held), now) // somebody writes, but not the holder
		}
		if waited := now.Sub(start); waited < want || waited > want+3*time.Second {
			t.Errorf("it says %d seconds, and is taken after %v", says, waited)
		}
	}
}

// A renewal is unlike those before although the wall clock stands still, or is
// set back a little: others must see it.
func TestEachRenewalCanBeSeen(t *testing.T) {
	m := newMachine("a")
	seen := map[string]bool{}
	for i := range 10 {
		r := m.holding(start.Add(-time.Duration(i/5) * time.Second))
		if seen[r.renew] {
			t.Errorf("the %dth renewal says %s again", i, r.renew)
		}
		seen[r.renew] = true
		m.sending(r)
		m.accepted(stored(i, r), start, start)
	}
	if r := m.holding(start.Add(-time.Hour)); r.renew != "2025-12-31T23:00:00.000000Z" {
		t.Errorf("a clock that was set is followed, and the record says %s", r.renew)
	}
}

// Others wait at least as long as was meant.
func TestSecondsAreRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]int32{time.Second: 1, 1500 * time.Millisecond: 2, time.Millisecond: 1, 15 * time.Second: 15} {
		if got := seconds(d); got != want {
			t.Errorf("%v are %d seconds", d, got)
		}
	}
}

// What was sent and never answered is known again when it turns up, and leads to
// nothing before it has been confirmed.
func TestALostAnswerIsConfirmed(t *testing.T) {
	m := newMachine("a")
	m.has(nil, start)
	r := m.holding(start)
	m.sending(r)
	m.failed(start.Add(5*time.Second), 0)
	later := start.Add(20 * time.Second)
	m.has(stored(1, r), later)
	if s := m.next(later); m.leads(later) || s.do != write {
		t.Fatalf("leads: %v; next: %+v", m.leads(later), s)
	}
	again := m.holding(later)
	m.sending(again)
	m.accepted(stored(2, again), later, later.Add(time.Second))
	if !m.leads(later.Add(9*time.Second)) || m.leads(later.Add(10*time.Second)) {
		t.Error("it leads from when the last write was begun, for RenewDeadline")
	}
	if again.acquire != r.acquire || again.transitions != 0 {
		t.Errorf("it has held the lease since its first write: %+v, then %+v", r, again)
	}
}

// An answer that comes after RenewDeadline makes nobody a leader.
func TestALateAnswerIsWorthNothing(t *testing.T) {
	m := newMachine("a")
	m.has(nil, start)
	r := m.holding(start)
	m.sending(r)
	late := start.Add(10 * time.Second)
	m.accepted(stored(1, r), start, late)
	if s := m.next(late); m.leading || s.do != write || !s.until.After(late) {
		t.Errorf("leading: %v; next: %+v", m.leading, s)
	}
}

// A Lease that was there and is gone is waited for; one that never was is not.
func TestAVanishedLeaseIsWaitedFor(t *testing.T) {
	m := newMachine("a")
	m.has(nil, start)
	if s := m.next(start); s.do != write {
		t.Errorf("there never was one: %+v", s)
	}
	m = newMachine("a")
	m.has(stored(1, record{}), start) // given back
	now := start.Add(time.Hour)
	m.has(nil, now)
	for gone := now; ; m.has(nil, now) {
		s := m.next(now)
		if s.do == write {
			if waited := now.Sub(gone); waited < 15*time.Second {
				t.Errorf("whoever leads by now is given %v", waited)
			}
			break
		}
		if now = s.until; s.do == read {
			t.Fatal("it was read")
		}
	}
}

// Who was the holder once does not take a record for its own because it says its
// name: it may be that of another process which is called the same.
func TestARecordOfTheSameNameIsAnothers(t *testing.T) {
	m := newMachine("twin")
	m.has(nil, start)
	own := m.holding(start)
	m.sending(own)
	m.accepted(stored(1, own), start, start)
	m.lost()
	later := start.Add(time.Hour)
	others := record{holder: "twin", seconds: 15, renew: "some day"}
	m.has(stored(2, others), later)
	if s := m.next(later); m.isOurs() || s.do != wait {
		t.Errorf("it is ours: %v; next: %+v", m.isOurs(), s)
	}
}

// Who could not look for long does not know who has led meanwhile, and waits for
// a Lease that is gone as if it had gone just now.
func TestAVanishedLeaseIsWaitedForAfterALongSilence(t *testing.T) {
	m := newMachine("a")
	m.has(stored(1, record{holder: "b", seconds: 15}), start)
	gone := start.Add(2 * time.Second)
	m.has(nil, gone)
	later := gone.Add(20 * time.Second)
	m.failed(later.Add(-time.Second), 0)
	m.has(nil, later)
	if s := m.next(later); s.do != wait {
		t.Errorf("next: %+v", s)
	}
}

// A server that refuses every write, as one with a webhook may, is not asked in a
// loop.
func TestRefusalsSlowDown(t *testing.T) {
	m := newMachine("a")
	now, writes := start, 0
	for version := 1; now.Before(start.Add(time.Minute)) && writes < 1000; version++ {
		switch s := m.next(now); s.do {
		case wait:
			now = s.until
		case read:
			m.has(stored(version, record{}), now)
		case write:
			writes++
			m.sending(m.holding(now))
			m.refused(now)
		}
	}
	if writes > 40 {
		t.Errorf("%d writes in %v", writes, now.Sub(start))
	}
}

// A server that asks to be left alone is, by who waits; a leader cannot afford to.
func TestAServerIsLeftAlone(t *testing.T) {
	for leading, want := range map[bool]time.Duration{false: 10 * time.Second, true: 500 * time.Millisecond} {
		m := newMachine("a")
		m.leading = leading
		m.failed(start, 10*time.Second)
		if s := m.next(start); s.do != wait || s.until.Sub(start) != want {
			t.Errorf("leading: %v; next in %v", leading, s.until.Sub(start))
		}
	}
}
