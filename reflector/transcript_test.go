package reflector

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/machinetest"
	"github.com/thinformer/thinformer/listwatch"
)

// TestTranscripts passes the inputs of the files in testdata to the machine, and
// compares its outcomes with the files. An input is a line of input.String. The
// arguments of new are:
//
//	new [prefer-list] [base=1s] [max=30s] [order=presumed|unknown]
//
// The output ends with the published State.
func TestTranscripts(t *testing.T) {
	machinetest.Run(t, func(t *testing.T, d *datadriven.TestData) machinetest.Machine {
		p := newPlayer()
		p.m.preferList = d.HasArg("prefer-list")
		if d.HasArg("order") {
			var order string
			d.ScanArgs(t, "order", &order)
			p.m.order.declared = map[string]listwatch.VersionOrder{"presumed": listwatch.PresumedOrdered, "unknown": listwatch.UnknownOrder}[order]
		}
		for name, setting := range map[string]*time.Duration{"base": &p.m.backoff.Base, "max": &p.m.backoff.Max} {
			if d.HasArg(name) {
				var text string
				d.ScanArgs(t, name, &text)
				var err error
				*setting, err = time.ParseDuration(text)
				require.NoError(t, err)
			}
		}
		return p
	})
}

// player is a machine with a clock.
type player struct {
	m   machine
	now time.Time
	out strings.Builder
}

func newPlayer() *player {
	return &player{m: machine{name: "pods"}, now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (p *player) Advance(d time.Duration) { p.now = p.now.Add(d) }

func (p *player) Input(t *testing.T, line string) {
	in, err := parseInput(line)
	require.NoError(t, err, line)
	if (in.kind == inputWaitOver || in.kind == inputReleased) && p.m.stage == stageWaiting {
		p.now = later(p.now, p.m.failures.retryAt)
	}
	in.at = p.now
	before := p.m
	out := p.m.step(in)
	if !out.refused {
		requireDocumented(t, &before, in, &p.m)
	}
	require.False(t, out.refused && before.stage != stageStopped, "%q is refused in stage %v", line, before.stage)
	fmt.Fprintln(&p.out, out.String()+p.wait())
}

func (p *player) Output() string {
	defer p.out.Reset()
	return p.out.String() + p.state()
}

// wait returns a description of the current wait.
func (p *player) wait() string {
	if p.m.stage != stageWaiting {
		return ""
	}
	if wait := p.m.failures.retryAt.Sub(p.now); p.m.pause.shared {
		return fmt.Sprintf(" %v or more with the others for %v", wait, p.m.pause.next)
	} else {
		return fmt.Sprintf(" %v for %v", wait, p.m.pause.next)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// state returns the published state as text.
func (p *player) state() string {
	var b publishedState
	b.publish(&p.m)
	s := b.snapshot(p.now)
	text := fmt.Sprintf("-- %s version=%q", s.Phase, s.Version)
	if s.Epoch > 0 {
		text += fmt.Sprintf(" epoch=%d", s.Epoch)
	}
	if s.Unordered != "" {
		text += fmt.Sprintf(" unordered (%s)", s.Unordered)
	}
	text += fmt.Sprintf(" mode=%s", s.Mode)
	if s.ModeReason != "" {
		text += fmt.Sprintf(" (%s)", s.ModeReason)
	}
	if s.Relists > 0 {
		text += fmt.Sprintf(" relists=%d (%s)", s.Relists, s.RelistReason)
	}
	if s.Undecodable > 0 {
		text += fmt.Sprintf(" undecodable=%d", s.Undecodable)
	}
	if s.Err != nil {
		text += fmt.Sprintf(" failures=%d since %v", s.Failures, p.now.Sub(s.Since))
	}
	return text + "\n"
}

// parseInput is the inverse of input.String.
func parseInput(line string) (in input, err error) {
	for first := true; line != ""; first = false {
		var word, value string
		word, value, line, err = cutWord(line)
		if err != nil {
			return in, err
		}
		if first {
			for kind, name := range inputNames {
				if name == word && name != "" {
					in.kind = inputKind(kind)
				}
			}
			if in.kind == 0 {
				return in, fmt.Errorf("unknown input: %q", word)
			}
			continue
		}
		switch word {
		case "version":
			in.version = value
		case "initial-events-end":
			in.initialEventsEnd = true
		case "store-wrong":
			in.storeWrong = true
		case "shared":
			in.failure.sharedWait = true
		case "own-backoff":
			in.failure.ownBackoff = true
		case "code":
			var code int
			code, err = strconv.Atoi(value)
			in.failure.code = int32(code)
		case "list-reason":
			in.listReason = value
		case "reason":
			in.failure.reason = Reason(value)
		case "error":
			in.failure.err = errors.New(value)
		case "served":
			in.served = true
		case "asked-in":
			in.failure.askedIn, err = time.ParseDuration(value)
		case "retry-after":
			in.failure.retryAfter, err = time.ParseDuration(value)
		case "jitter":
			in.jitter, err = strconv.ParseFloat(value, 64)
		default:
			in.eventType = watch.EventType(word)
		}
		if err != nil {
			return in, err
		}
	}
	if in.failure.reason != "" && in.failure.err == nil {
		in.failure.err = errors.New("the request failed")
	}
	return in, nil
}

// cutWord removes a word, or word=value, from the beginning of a line.
func cutWord(line string) (word, value, rest string, err error) {
	end := strings.IndexAny(line, " =")
	if end < 0 {
		return line, "", "", nil
	}
	word, rest = line[:end], line[end+1:]
	if line[end] == ' ' {
		return word, "", strings.TrimLeft(rest, " "), nil
	}
	if strings.HasPrefix(rest, `"`) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return word, "", "", err
		}
		value, err = strconv.Unquote(quoted)
		return word, value, strings.TrimLeft(rest[len(quoted):], " "), err
	}
	value, rest, _ = strings.Cut(rest, " ")
	return word, value, strings.TrimLeft(rest, " "), nil
}
