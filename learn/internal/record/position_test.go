package record_test

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/record"
)

// A position in the learner's code is preferred to one in the reference of another step,
// even if the reference is further inside or in an earlier goroutine.
func TestPositionIn(t *testing.T) {
	const (
		inReference = "goroutine 7 [select, synctest bubble 1]:\n" +
			"example.com/learn/internal/steps/chunks/reference.exchange(0x1)\n\t/src/learn/internal/steps/chunks/reference/transport.go:61 +0x1\n"
		called = "example.com/learn/_work/04-listwatch.(*listerWatcher).List(0x1)\n\t/src/learn/_work/04-listwatch/listwatch.go:45 +0x1\n"
		inBoth = inReference + called
		inOwn  = "goroutine 8 [sync.Mutex.Lock]:\n" + called
	)
	const list, exchange = "listerWatcher.List (listwatch.go:45)", "exchange (transport.go:61)"
	for _, c := range []struct {
		goroutines []string
		want       string
	}{
		{[]string{inBoth}, list},
		{[]string{inReference, inOwn}, list},
		{[]string{inReference}, exchange},
		{[]string{"goroutine 1 [running]:\nmain.main()\n\t/src/main.go:5 +0x1\n"}, ""},
		{nil, ""},
	} {
		if got := record.PositionIn(c.goroutines...); got != c.want {
			t.Errorf("PositionIn is %q, want %q, of %q", got, c.want, c.goroutines)
		}
	}
}
