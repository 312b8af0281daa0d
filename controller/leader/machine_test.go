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
		identity: identity, leaseDuration: 15 * time.Second, renewDeadline: 10 * time.Second, retryPeriod: 2 * time.Second,
		random: func() float64 { return 0 },
	}
}

// storedLease returns a Lease as stored by the server at a version.
func storedLease(version int, r record) *lease {
	l := leaseOf(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"resourceVersion": fmt.Sprint(version)}}})
	return l.withRecord(r)
}

// A candidate waits for the lease duration in the holder's record, from the time at which
// it first read the record.
func TestCandidateWaitsForTheLeaseDuration(t *testing.T) {
	for duration, want := range map[int32]time.Duration{15: 15 * time.Second, 60: time.Minute, 3: 3 * time.Second, 0: 15 * time.Second, -1: 15 * time.Second} {
		m := newMachine("a")
		held := record{holder: "b", seconds: duration, renew: "some day"}
		m.observed(storedLease(1, held), start)
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
			m.observed(storedLease(version, held), now) // a write of another client
		}
		if waited := now.Sub(start); waited < want || waited > want+3*time.Second {
			t.Errorf("lease duration %d: taken after %v", duration, waited)
		}
	}
}

// Each renewal has a different time although the wall clock does not advance or is set
// back a little, so that other candidates observe it.
func TestEachRenewalHasADifferentTime(t *testing.T) {
	m := newMachine("a")
	seen := map[string]bool{}
	for i := range 10 {
		r := m.heldRecord(start.Add(-time.Duration(i/5) * time.Second))
		if seen[r.renew] {
			t.Errorf("renewal %d repeats the time %s", i, r.renew)
		}
		seen[r.renew] = true
		m.recordSent(r)
		m.accepted(storedLease(i, r), start, start)
	}
	if r := m.heldRecord(start.Add(-time.Hour)); r.renew != "2025-12-31T23:00:00.000000Z" {
		t.Errorf("the clock was set back by an hour, and the renew time is %s", r.renew)
	}
}

// The lease duration is rounded up to seconds.
func TestSecondsAreRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]int32{time.Second: 1, 1500 * time.Millisecond: 2, time.Millisecond: 1, 15 * time.Second: 15} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %d, want %d", d, got, want)
		}
	}
}

// A record that was written without a response is recognized when it is read. The process
// leads only after it has renewed the record.
func TestLostResponseIsConfirmedByARenewal(t *testing.T) {
	m := newMachine("a")
	m.observed(nil, start)
	r := m.heldRecord(start)
	m.recordSent(r)
	m.failed(start.Add(5*time.Second), 0)
	later := start.Add(20 * time.Second)
	m.observed(storedLease(1, r), later)
	if s := m.next(later); m.leads(later) || s.do != write {
		t.Fatalf("leads: %v; next: %+v", m.leads(later), s)
	}
	again := m.heldRecord(later)
	m.recordSent(again)
	m.accepted(storedLease(2, again), later, later.Add(time.Second))
	if !m.leads(later.Add(9*time.Second)) || m.leads(later.Add(10*time.Second)) {
		t.Error("the term does not last for RenewDeadline from the start of the last write")
	}
	if again.acquire != r.acquire || again.transitions != 0 {
		t.Errorf("the renewal changed the acquire time or the transitions: %+v, then %+v", r, again)
	}
}

// A response after RenewDeadline does not start a term.
func TestLateResponseDoesNotStartATerm(t *testing.T) {
	m := newMachine("a")
	m.observed(nil, start)
	r := m.heldRecord(start)
	m.recordSent(r)
	late := start.Add(10 * time.Second)
	m.accepted(storedLease(1, r), start, late)
	if s := m.next(late); m.leading || s.do != write || !s.until.After(late) {
		t.Errorf("leading: %v; next: %+v", m.leading, s)
	}
}

// A candidate waits for the lease duration after a Lease was deleted. It does not wait if
// there never was a Lease.
func TestCandidateWaitsAfterADeletedLease(t *testing.T) {
	m := newMachine("a")
	m.observed(nil, start)
	if s := m.next(start); s.do != write {
		t.Errorf("there never was a Lease; next: %+v", s)
	}
	m = newMachine("a")
	m.observed(storedLease(1, record{}), start) // released
	now := start.Add(time.Hour)
	m.observed(nil, now)
	for gone := now; ; m.observed(nil, now) {
		s := m.next(now)
		if s.do == write {
			if waited := now.Sub(gone); waited < 15*time.Second {
				t.Errorf("taken after %v, before the end of another term", waited)
			}
			break
		}
		if now = s.until; s.do == read {
			t.Fatal("the machine reads the Lease again")
		}
	}
}

// A record with the identity of the process that the process has not written belongs to
// another process.
func TestForeignRecordWithTheSameIdentity(t *testing.T) {
	m := newMachine("same")
	m.observed(nil, start)
	own := m.heldRecord(start)
	m.recordSent(own)
	m.accepted(storedLease(1, own), start, start)
	m.lost()
	later := start.Add(time.Hour)
	others := record{holder: "same", seconds: 15, renew: "some day"}
	m.observed(storedLease(2, others), later)
	if s := m.next(later); m.isOurs() || s.do != wait {
		t.Errorf("isOurs: %v; next: %+v", m.isOurs(), s)
	}
}

// A candidate that could not read the Lease for a long time treats a missing Lease as just
// deleted, since another process may have led meanwhile.
func TestCandidateWaitsAfterALongGap(t *testing.T) {
	m := newMachine("a")
	m.observed(storedLease(1, record{holder: "b", seconds: 15}), start)
	gone := start.Add(2 * time.Second)
	m.observed(nil, gone)
	later := gone.Add(20 * time.Second)
	m.failed(later.Add(-time.Second), 0)
	m.observed(nil, later)
	if s := m.next(later); s.do != wait {
		t.Errorf("next: %+v", s)
	}
}

// If the server rejects every write, as a webhook may, the writes are delayed.
func TestConflictsBackOff(t *testing.T) {
	m := newMachine("a")
	now, writes := start, 0
	for version := 1; now.Before(start.Add(time.Minute)) && writes < 1000; version++ {
		switch s := m.next(now); s.do {
		case wait:
			now = s.until
		case read:
			m.observed(storedLease(version, record{}), now)
		case write:
			writes++
			m.recordSent(m.heldRecord(now))
			m.refused(now)
		}
	}
	if writes > 40 {
		t.Errorf("%d writes in %v", writes, now.Sub(start))
	}
}

// A candidate respects Retry-After. A leader retries sooner.
func TestRetryAfterIsRespectedByCandidates(t *testing.T) {
	for leading, want := range map[bool]time.Duration{false: 10 * time.Second, true: 500 * time.Millisecond} {
		m := newMachine("a")
		m.leading = leading
		m.failed(start, 10*time.Second)
		if s := m.next(start); s.do != wait || s.until.Sub(start) != want {
			t.Errorf("leading: %v; next in %v", leading, s.until.Sub(start))
		}
	}
}
