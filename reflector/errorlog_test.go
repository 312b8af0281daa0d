package reflector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// logRecorder is a logger whose lines can be taken.
type logRecorder struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *logRecorder) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(line)
}

func (r *logRecorder) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// take returns the lines since the last call.
func (r *logRecorder) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.text.Reset()
	text := strings.TrimSpace(r.text.String())
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// waitingError is an error of a reflector that waits.
func waitingError(source string, reason Reason) error {
	return &Error{Name: source, Verb: "watch", Reason: reason, Err: errors.New("no"), RetryAt: time.Now().Add(time.Second)}
}

// logPlayer has a log of reflectors with the names 0, 1, 2 ...
type logPlayer struct {
	failureLog
	ends []func()
}

func newLogPlayer(lines *logRecorder, sources int) *logPlayer {
	l := &logPlayer{failureLog: NewErrorLog("all", lines.logger()).log}
	for i := range sources {
		l.ends = append(l.ends, l.begin(fmt.Sprint(i)))
	}
	return l
}

func (l *logPlayer) fail(source int, reason Reason) {
	name := fmt.Sprint(source)
	l.report(context.Background(), name, waitingError(name, reason), time.Now())
}

func (l *logPlayer) open(source int) { l.watchOpened(fmt.Sprint(source), time.Now()) }

func (l *logPlayer) end() {
	for _, end := range l.ends {
		end()
	}
}

// Promise: an outage of reflectors with a common log is one line per minute, and its end
// one line.
func TestOutageOfSharedLogIsFewLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := new(logRecorder)
		l := newLogPlayer(lines, 200)
		defer l.end()
		for range 61 {
			for i := range 200 {
				l.fail(i, ReasonUnreachable)
			}
			time.Sleep(time.Second)
		}
		require.Equal(t, []string{
			`level=WARN msg="List or watch failed" source=0 verb=watch reason=unreachable err="watch 0: no" retry="in 1s"`,
			`level=WARN msg="List or watch failed" source=0 verb=watch reason=unreachable err="watch 0: no" retry="in 1s" suppressed=11999 failing=200`,
		}, lines.take())
		for i := range 200 {
			l.open(i)
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(healthyPeriod - time.Second)
		require.Empty(t, lines.take(), "no watch has been open for ten seconds")
		time.Sleep(time.Second)
		require.Equal(t, []string{`level=INFO msg="List or watch recovered" source=all after=1m2.99s recovered=200`}, lines.take())
		time.Sleep(time.Hour)
		require.Empty(t, lines.take())
	})
}

// Promise: the first reflectors with an error that may concern only their namespace are
// named within the minute, and the end of the failure of one names it.
func TestSharedLogNamesTheFirstSpecificFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := new(logRecorder)
		l := newLogPlayer(lines, 10)
		defer l.end()
		for i := range 10 {
			for range 5 {
				l.fail(i, ReasonForbidden)
			}
		}
		named := lines.take()
		require.Len(t, named, 1+maxEarlyLines)
		for i, line := range named {
			require.Contains(t, line, fmt.Sprintf(" source=%d verb=watch reason=forbidden ", i))
		}
		l.open(2)
		time.Sleep(time.Minute)
		require.Equal(t, []string{`level=INFO msg="List or watch recovered" source=2 after=0s failing=9`}, lines.take())
		for i := range 10 {
			if i != 2 {
				l.open(i)
			}
		}
		time.Sleep(time.Minute)
		require.Equal(t, []string{`level=INFO msg="List or watch recovered" source=all after=1m0s recovered=9`}, lines.take())
	})
}

// Promise: a reflector that fails again and again writes a bounded number of lines, and
// so does one whose resource comes and goes.
func TestFlappingSourceIsFewLines(t *testing.T) {
	for _, notFound := range []notFoundState{notMissing, notServed} {
		t.Run(fmt.Sprint(notFound), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lines := new(logRecorder)
				l := newLogPlayer(lines, 1)
				defer l.end()
				const minutes = 10
				for range minutes * 4 {
					err := waitingError("0", ReasonNotFound).(*Error)
					err.notFound = notFound
					l.report(t.Context(), "0", err, time.Now())
					time.Sleep(time.Second)
					l.open(0)
					time.Sleep(14 * time.Second)
				}
				warnings, ends := 0, 0
				for _, line := range lines.take() {
					if strings.HasPrefix(line, "level=WARN") {
						warnings++
					} else {
						ends++
					}
				}
				most := minutes
				if notFound == notServed {
					most *= 1 + maxEarlyLines
				}
				require.Equal(t, most, warnings)
				require.Equal(t, warnings, ends, "the end of each failure that was logged")
			})
		})
	}
}

// Promise: a reflector that waits for others to recover does not delay the line about
// them by more than a minute, and the last line says when all have recovered.
func TestEndOfAnOutageIsLoggedOnceAllHaveRecovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := new(logRecorder)
		l := newLogPlayer(lines, 100)
		defer l.end()
		for i := range 100 {
			l.fail(i, ReasonServerError)
		}
		require.Len(t, lines.take(), 1)
		for i := range 99 { // within 99 s
			l.open(i)
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		partly := lines.take()
		require.Len(t, partly, 1)
		require.Contains(t, partly[0], "source=all after=50s recovered=51 failing=49")
		l.open(99)
		time.Sleep(time.Minute)
		last := lines.take()
		require.Len(t, last, 1)
		require.NotContains(t, last[0], "failing")
	})
}

// Promise: nothing is logged after the last reflector has ended, and an error without a
// wait is not an outage.
func TestLogOfReflectorsThatHaveEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := new(logRecorder)
		l := newLogPlayer(lines, 2)
		l.report(t.Context(), "1", &Error{Name: "1", Verb: "watch", Reason: ReasonExpired, Err: errors.New("too old")}, time.Now())
		l.open(1)
		l.fail(0, ReasonForbidden)
		require.Len(t, lines.take(), 2)
		l.open(0)
		time.Sleep(time.Second)
		l.end()
		time.Sleep(time.Hour)
		require.Empty(t, lines.take())
	})
}

// blockedHandler blocks for lines at level INFO until the channel is closed.
type blockedHandler struct {
	slog.Handler
	write chan struct{}
}

func (blockedHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h blockedHandler) Handle(_ context.Context, line slog.Record) error {
	if line.Level == slog.LevelInfo {
		<-h.write
	}
	return nil
}

// Promise of begin: the end of the last reflector waits for the line that is being
// written, and not for the timer of a reflector that begins meanwhile.
func TestEndDoesNotWaitForTheOutageOfAnotherReflector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		write := make(chan struct{})
		l := NewErrorLog("all", slog.New(blockedHandler{slog.DiscardHandler, write})).log
		fail := func(source string) {
			l.report(context.Background(), source, waitingError(source, ReasonUnreachable), time.Now())
		}
		endA := l.begin("a")
		fail("a")
		l.watchOpened("a", time.Now())
		time.Sleep(healthyPeriod + time.Second)
		ended := make(chan struct{})
		go func() { endA(); close(ended) }()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("the line is being written")
		default:
		}
		endB := l.begin("b")
		fail("b")
		l.watchOpened("b", time.Now())
		close(write)
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("the end of a waits for b")
		}
		endB()
		<-ended
	})
}

// Promise: the end of an outage is logged also if the first line was about an error
// without a wait.
func TestEndOfAnOutageThatBeganWithoutAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := new(logRecorder)
		l := newLogPlayer(lines, 1)
		defer l.end()
		l.report(t.Context(), "0", &Error{Name: "0", Verb: "watch", Reason: ReasonInterrupted, Err: errReset}, time.Now())
		require.Len(t, lines.take(), 1)
		l.fail(0, ReasonInterrupted)
		time.Sleep(20 * time.Second)
		l.open(0)
		time.Sleep(20 * time.Second)
		require.Equal(t, []string{`level=INFO msg="List or watch recovered" source=0 after=20s`}, lines.take())
	})
}

// Promise: the error of a request that is held while the server does not respond has the
// time of the next attempt.
func TestHeldRequestHasTheTimeOfTheNextAttempt(t *testing.T) {
	for _, beginning := range [][]string{
		{"start"},
		{"start", "answered", "event BOOKMARK version=9 initial-events-end", "replaced", "failed reason=interrupted shared", "released"},
	} {
		p := newPlayer()
		for _, line := range beginning {
			p.Input(t, line)
		}
		in, err := parseInput("held reason=unreachable shared")
		require.NoError(t, err)
		in.at = p.now
		out := p.m.step(in)
		require.NotNil(t, out.report)
		require.Equal(t, "in 1s", out.report.nextAttempt(p.now))
		require.Equal(t, p.m.pause.retryAt, out.report.RetryAt)
	}
}
