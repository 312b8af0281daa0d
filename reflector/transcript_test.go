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
)

// TestTranscripts plays the files in testdata to the machine: inputs in, what
// it decides out. With -rewrite it writes down what comes out.
//
//	new [prefer-list] [base=1s] [max=30s]   a machine that has done nothing
//	play                                    an input a line, as input.String writes it;
//	                                        +10s before it lets so much time pass
//
// A play ends with the state that users would see.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var p *player
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "new":
				p = newPlayer()
				p.m.preferList = d.HasArg("prefer-list")
				for word, to := range map[string]*time.Duration{"base": &p.m.backoff.Base, "max": &p.m.backoff.Max} {
					if d.HasArg(word) {
						var text string
						d.ScanArgs(t, word, &text)
						*to = parseDuration(t, text)
					}
				}
				return ""
			case "play":
				return p.play(t, d.Input)
			}
			require.Fail(t, "no such command", d.Cmd)
			return ""
		})
	})
}

// player is a machine and the clock that the machine does not have.
type player struct {
	m   machine
	now time.Time
}

func newPlayer() *player {
	return &player{m: machine{name: "pods"}, now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (p *player) play(t *testing.T, script string) string {
	var out strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if after, moved := strings.CutPrefix(line, "+"); moved {
			by, rest, _ := strings.Cut(after, " ")
			p.now = p.now.Add(parseDuration(t, by))
			line = rest
		}
		in, err := parseInput(line)
		require.NoError(t, err, line)
		if in.kind == due && p.m.stage == waiting {
			p.now = p.m.failures.retryAt
		}
		in.at = p.now
		before := p.m.stage
		decided := p.m.step(in)
		require.False(t, decided.refused && before != stopped, "%q has no meaning when %v", line, before)
		fmt.Fprintln(&out, decided.String()+p.wait())
	}
	return out.String() + p.state()
}

// wait is how long the machine wants to wait, for what.
func (p *player) wait() string {
	if p.m.stage != waiting {
		return ""
	}
	return fmt.Sprintf(" %v for %v", p.m.failures.retryAt.Sub(p.now), p.m.after)
}

// state is what State would say.
func (p *player) state() string {
	var b board
	b.write(&p.m)
	s := b.read(p.now)
	text := fmt.Sprintf("-- %s version=%q", s.Phase, s.Version)
	if s.Epoch > 0 {
		text += fmt.Sprintf(" epoch=%d", s.Epoch)
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

func parseDuration(t *testing.T, text string) time.Duration {
	d, err := time.ParseDuration(text)
	require.NoError(t, err)
	return d
}

// parseInput reads what input.String has written.
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
				return in, fmt.Errorf("no such input: %q", word)
			}
			continue
		}
		switch word {
		case "version":
			in.version = value
		case "end":
			in.end = true
		case "lost":
			in.lost = true
		case "early":
			in.early = true
		case "trouble":
			in.trouble = value
		case "reason":
			in.failure.reason = Reason(value)
		case "error":
			in.failure.err = errors.New(value)
		case "retry-after":
			in.failure.retryAfter, err = time.ParseDuration(value)
		case "dice":
			in.dice, err = strconv.ParseFloat(value, 64)
		default:
			in.typ = watch.EventType(word)
		}
		if err != nil {
			return in, err
		}
	}
	if in.failure.reason != "" && in.failure.err == nil {
		in.failure.err = errors.New("it has failed")
	}
	return in, nil
}

// cutWord takes a word, or a word=value, off a line.
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
