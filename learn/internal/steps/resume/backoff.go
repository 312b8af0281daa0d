package resume

import (
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The checks of NewBackoff.

const (
	base  = 800 * time.Millisecond
	limit = 30 * time.Second
)

func newBackoff(t *judge.T, parts stack.Parts) stack.Backoff {
	b := parts.NewBackoff(base, limit)
	if b == nil {
		t.Fatalf("NewBackoff returns nil")
	}
	return b
}

// inRange fails unless the call with a number, from 0 on, returns a time that is allowed.
func inRange(t *judge.T, number int, got time.Duration) {
	most := limit
	if number < 6 { // 800 ms << 6 is more than 30 s
		most = base << number
	}
	if got < most/2 || got > most {
		t.Fatalf("call %d of Next since the beginning or Reset returns %v, want between %v and %v", number+1, got, most/2, most)
	}
}

func checkTimes(t *judge.T, parts stack.Parts) {
	for range 20 {
		b := newBackoff(t, parts)
		for number := range 200 {
			inRange(t, number, b.Next())
		}
	}
	if got := parts.NewBackoff(2*limit, limit).Next(); got < limit/2 || got > limit {
		t.Fatalf("NewBackoff(%v, %v): Next returns %v, want between %v and the limit of %[2]v", 2*limit, limit, got, limit/2)
	}
}

func checkRandom(t *judge.T, parts stack.Parts) {
	first, last := map[time.Duration]bool{}, map[time.Duration]bool{}
	shortest, longest := limit, time.Duration(0)
	for range 50 {
		b := newBackoff(t, parts)
		first[b.Next()] = true
		for range 10 {
			b.Next()
		}
		twelfth := b.Next()
		last[twelfth] = true
		shortest, longest = min(shortest, twelfth), max(longest, twelfth)
	}
	if len(first) < 25 || len(last) < 25 {
		t.Fatalf("50 Backoffs return %d different first times and %d different twelfth times: clients that fail together come back together", len(first), len(last))
	}
	// For equally distributed times, the probability of this failure is 1 to 10^15.
	if middle := limit * 3 / 4; shortest > middle || longest < middle {
		t.Fatalf("the twelfth times of 50 Backoffs are between %v and %v, want them equally distributed between %v and %v", shortest, longest, limit/2, limit)
	}
	const times = 4000
	b, quarters := newBackoff(t, parts), [4]int{}
	for number := range 12 + times {
		if next := b.Next(); number >= 12 && next >= limit/2 && next <= limit {
			quarters[min(3, int((next-limit/2)*4/(limit/2)))]++
		}
	}
	// 1000 are expected, and the standard deviation is 27.
	for i, got := range quarters {
		if got < 700 || got > 1300 {
			t.Fatalf("%d times between %v and %v: %d of them are in quarter %d, want about %d: they are not equally distributed", times, limit/2, limit, got, i+1, times/4)
		}
	}
}

func checkBackoffReset(t *judge.T, parts stack.Parts) {
	b := newBackoff(t, parts)
	for range 12 {
		b.Next()
	}
	b.Reset()
	for number := range 8 {
		inRange(t, number, b.Next())
	}
}
