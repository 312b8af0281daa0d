package reflector

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"
)

var (
	fuzzTypes    = []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, "", "RENAMED"}
	fuzzReasons  = []Reason{Unauthorized, Forbidden, NotFound, Undecodable, Timeout, Unreachable, Throttled, ServerError, Expired, Refused, TooLarge, WentBack, NoInitialEnd, Interrupted, StoreFailed, Other}
	fuzzVersions = []string{"", "0", "1", "5", "9", "10", "11", "99", "100", "0x1", "abc", "18446744073709551616"}
	fuzzWaits    = []time.Duration{0, time.Millisecond, time.Second, 9 * time.Second, 11 * time.Second, 31 * time.Second, time.Hour}
	errFuzz      = errors.New("it has failed")
)

// inputOf makes an input of three bytes.
func inputOf(b []byte) (in input, wait time.Duration) {
	pick := func(from byte, n int) int { return int(from) % n }
	in.kind = inputKind(1 + pick(b[0], len(inputNames)-1))
	in.typ = fuzzTypes[pick(b[1], len(fuzzTypes))]
	in.version = fuzzVersions[pick(b[2], len(fuzzVersions))]
	in.end, in.lost, in.early = b[1]&64 != 0, b[1]&128 != 0, b[1]&32 != 0
	in.failure = failure{reason: fuzzReasons[pick(b[1], len(fuzzReasons))], err: errFuzz, retryAfter: fuzzWaits[pick(b[2], len(fuzzWaits))]}
	in.dice = float64(b[2]) / 256
	if b[0]&128 != 0 {
		in.trouble = "it cannot"
	}
	return in, fuzzWaits[pick(b[0]>>4, len(fuzzWaits))]
}

// Whatever comes, in whatever order: the machine does not panic, stays in its
// stages, takes nothing in that it does not expect, ends every wait, does not
// go back within an epoch, and can always get to where all is well.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{0, 0, 0, 2, 0, 0, 3, 0, 3, 3, 3 | 64, 5, 6, 0, 0, 3, 1, 6}, false)
	f.Add([]byte{0, 0, 0, 5, 0, 5, 6, 0, 0, 2, 0, 0, 9, 8, 8, 1, 1, 1}, true)
	f.Fuzz(checkScript)
}

// The same for scripts that begin with what the machine expects, and stray from
// that now and then: they get further.
func TestTheMachineKeepsItsRules(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	for range 2000 {
		p := newPlayer()
		p.m.preferList = random.IntN(2) == 0
		for range 80 {
			b := []byte{byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256))}
			in, wait := inputOf(b)
			for random.IntN(20) > 0 && in.kind != stop && !p.m.expects(in.kind) {
				b[0]++
				in, wait = inputOf(b)
			}
			p.now = p.now.Add(wait)
			in.at = p.now
			checkStep(t, &p.m, in)
		}
		recovers(t, p)
	}
}

func checkScript(t *testing.T, script []byte, preferList bool) {
	p := newPlayer()
	p.m.preferList = preferList
	for ; len(script) >= 3; script = script[3:] {
		in, wait := inputOf(script)
		p.now = p.now.Add(wait)
		in.at = p.now
		checkStep(t, &p.m, in)
	}
	recovers(t, p)
}

func checkStep(t *testing.T, m *machine, in input) {
	before := *m
	out := m.step(in)
	require.Less(t, int(m.stage), len(stageNames))
	require.NotEqual(t, starting, m.stage, "the machine rests in no place that is only passed")
	require.Equal(t, m.stage, out.stage)
	require.NotEmpty(t, out.String())
	_ = in.String()
	if out.refused {
		require.Equal(t, before, *m, "an input that is refused changes nothing")
		return
	}
	if m.stage == waiting {
		wait := m.failures.retryAt.Sub(in.at)
		require.Positive(t, wait)
		require.LessOrEqual(t, wait, longestRetryAfter)
		require.Contains(t, []stage{starting, checking, opening}, m.after)
		require.NotNil(t, out.report, "nobody waits without a reason")
		require.Error(t, m.failures.err)
	}
	order, ok := compare(m.version, before.version)
	if ok && order < 0 && in.failure.reason != StoreFailed {
		require.Greater(t, m.epoch, before.epoch, "from %s to %s", before.version, m.version)
	}
	if m.failures.count > before.failures.count && before.failures.waits > 0 {
		require.GreaterOrEqual(t, m.failures.waits, before.failures.waits, "backoff does not begin anew with a failure")
	}
}

// recovers leads the machine, by nothing but good luck, to an open watch.
func recovers(t *testing.T, p *player) {
	path := ""
	for range 20 {
		var in input
		switch p.m.stage {
		case idle, stopped:
			in.kind = start
		case waiting:
			in.kind, p.now = due, p.m.failures.retryAt
		case checking:
			in.kind = checked
		case opening:
			in.kind = answered
		case watching:
			return
		case streaming:
			in = input{kind: event, typ: watch.Bookmark, version: p.m.version, end: true}
		case listing:
			in = input{kind: listed, version: p.m.version}
		}
		if p.m.initial.ended && (p.m.stage == streaming || p.m.stage == listing) {
			in = input{kind: replaced}
		}
		in.at = p.now
		path += fmt.Sprintf("%v: %v\n", p.m.stage, in)
		require.False(t, p.m.step(in).refused, path)
	}
	require.Fail(t, "there is no way on", path)
}
