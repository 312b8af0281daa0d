package reflector

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/resourceversion"
	"github.com/thinformer/thinformer/listwatch"
)

var (
	fuzzTypes    = []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, "", "RENAMED"}
	fuzzReasons  = []Reason{ReasonUnauthorized, ReasonForbidden, ReasonNotFound, ReasonUndecodable, ReasonTimeout, ReasonUnreachable, ReasonThrottled, ReasonServerError, ReasonExpired, ReasonRefused, ReasonTooLargeVersion, ReasonVersionWentBack, ReasonNoInitialEventsEnd, ReasonInterrupted, ReasonStoreFailed, ReasonOther}
	fuzzVersions = []string{"", "0", "1", "5", "9", "10", "11", "99", "100", "0x1", "abc", "18446744073709551616"}
	fuzzWaits    = []time.Duration{0, time.Millisecond, time.Second, 9 * time.Second, 11 * time.Second, 31 * time.Second, time.Hour}
	errFuzz      = errors.New("it has failed")
)

// inputOf returns an input for three bytes.
func inputOf(b []byte) (in input, wait time.Duration) {
	pick := func(from byte, n int) int { return int(from) % n }
	in.kind = inputKind(1 + pick(b[0], len(inputNames)-1))
	in.eventType = fuzzTypes[pick(b[1], len(fuzzTypes))]
	in.version = fuzzVersions[pick(b[2], len(fuzzVersions))]
	in.initialEventsEnd, in.storeWrong = b[1]&64 != 0, b[1]&128 != 0
	in.failure = failure{reason: fuzzReasons[pick(b[1], len(fuzzReasons))], err: errFuzz, retryAfter: fuzzWaits[pick(b[2], len(fuzzWaits))]}
	in.failure.code = []int32{0, 0, 429, 500, 503, 504}[pick(b[0], 6)]
	in.failure.sharedWait, in.failure.ownBackoff = b[1]&32 != 0, b[1]&16 != 0
	if in.failure.reason == ReasonNotFound && b[2]&1 != 0 {
		in.failure.askedIn = fuzzWaits[pick(b[2], len(fuzzWaits))]
	}
	in.served = b[1]&8 != 0
	in.jitter = float64(b[2]) / 256
	if b[0]&128 != 0 {
		in.listReason = "it cannot"
	}
	return in, fuzzWaits[pick(b[0]>>4, len(fuzzWaits))]
}

// For any inputs in any order, the machine does not panic, refuses inputs that
// its stage does not expect, ends every wait, never goes back within an epoch,
// and can always reach an open watch.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{0, 0, 0, 2, 0, 0, 3, 0, 3, 3, 3 | 64, 5, 6, 0, 0, 3, 1, 6}, false)
	f.Add([]byte{0, 0, 0, 5, 0, 5, 6, 0, 0, 2, 0, 0, 9, 8, 8, 1, 1, 1}, true)
	f.Fuzz(checkScript)
}

// The invariants of FuzzMachine, with inputs that the stage of the machine
// mostly accepts.
func TestMachineInvariants(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	for range 2000 {
		p := newPlayer()
		p.m.preferList = random.IntN(2) == 0
		p.m.order.declared = listwatch.VersionOrder(random.IntN(3))
		for range 80 {
			in := acceptedInput(random, p)
			if random.IntN(20) == 0 {
				in.kind = inputKind(1 + random.IntN(len(inputNames)-1))
			}
			checkStep(t, &p.m, in)
		}
		recovers(t, p)
	}
}

// expects reports whether a machine in the state of m accepts an input.
func expects(m machine, in input) bool { return !m.step(in).refused }

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
	require.NotEqual(t, stageStarting, m.stage, "stageStarting is never the stage after a step")
	require.Equal(t, m.stage, out.stage)
	require.NotEmpty(t, out.String())
	_ = in.String()
	if out.refused {
		require.Equal(t, before, *m, "a refused input changed the machine")
		return
	}
	requireDocumented(t, &before, in, m)
	if m.stage == stageWaiting {
		wait := m.failures.retryAt.Sub(in.at)
		require.GreaterOrEqual(t, wait, time.Duration(0))
		short := errors.Is(m.failures.err, ErrShortWatch) || before.stage == stageWatching && in.failure.connectionLost()
		switch {
		case wait > 0 || m.pause.shared:
		case short:
			require.False(t, before.past.lastShort, "the second short watch in a row waits")
		default:
			require.Contains(t, []Reason{ReasonExpired, ReasonTooLargeVersion}, in.failure.reason, "only a response of the source is retried without a wait")
			require.False(t, before.past.lastExpired, "the second failure in a row waits")
		}
		require.LessOrEqual(t, wait, maxRetryAfter)
		require.Contains(t, []stage{stageStarting, stageOpening}, m.pause.next)
		require.NotNil(t, out.report, "a wait without a report")
		require.Error(t, m.failures.err)
	}
	order, ok := resourceversion.Compare(m.stored.version, before.stored.version)
	if ok && order < 0 && in.failure.reason != ReasonStoreFailed && before.order.isOrdered() && m.order.isOrdered() {
		require.Greater(t, m.stored.epoch, before.stored.epoch, "from %s to %s", before.stored.version, m.stored.version)
	}
	if before.order.contradiction != "" {
		require.Equal(t, before.order.contradiction, m.order.contradiction, "a contradiction is permanent")
	}
	if !before.order.isOrdered() && !m.order.isOrdered() {
		require.NotEqual(t, stageChecking, m.stage, "versions without an order are not checked")
		found := in.failure.reason == "" && out.report != nil && out.report.Reason == ReasonVersionWentBack
		require.False(t, found, "versions without an order are not compared")
	}
	if m.failures.count > before.failures.count && before.failures.waits > 0 && before.failures.healthySince.IsZero() {
		require.GreaterOrEqual(t, m.failures.waits, before.failures.waits, "a failure does not reset the backoff")
	}
}

// recovers requires that a machine without further failures reaches an open
// watch.
func recovers(t *testing.T, p *player) {
	path := ""
	for range 20 {
		var in input
		switch p.m.stage {
		case stageIdle, stageStopped:
			in.kind = inputStart
		case stageWaiting:
			in.kind, p.now = inputWaitOver, later(p.now, p.m.failures.retryAt)
			if p.m.pause.shared {
				in.kind = inputReleased
			}
		case stageChecking:
			in.kind = inputChecked
		case stageOpening:
			in.kind = inputAnswered
		case stageWatching:
			return
		case stageStreaming:
			in = input{kind: inputEvent, eventType: watch.Bookmark, version: p.m.stored.version, initialEventsEnd: true}
		case stageListing:
			in = input{kind: inputListed, version: p.m.stored.version}
		}
		if p.m.initial.complete && (p.m.stage == stageStreaming || p.m.stage == stageListing) {
			in = input{kind: inputReplaced}
		}
		in.at = p.now
		path += fmt.Sprintf("%v: %v\n", p.m.stage, in)
		require.False(t, p.m.step(in).refused, path)
	}
	require.Fail(t, "the machine does not reach an open watch", path)
}
