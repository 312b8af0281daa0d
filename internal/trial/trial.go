// Package trial runs a check of a conformance test suite. A check tests one
// promise of an implementation within a time limit. Its result is an error that says
// what went wrong, or which step did not finish.
//
// It does not use testing.T, so that the suites can be tested themselves: a broken
// implementation must fail.
package trial

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

// Trial is one run of a check. Its methods fail it with a panic, which Run converts
// into an error. They must be called from the goroutine of the check, except for
// Step and Note, which may be called from any goroutine.
type Trial struct {
	// Context is canceled at the end of the trial.
	Context context.Context
	// Timeout is the time limit.
	Timeout time.Duration

	mu    sync.Mutex
	step  string // the current step
	notes []string
}

// DefaultTimeout is the default time limit.
const DefaultTimeout = 10 * time.Second

// failure is the panic value of a failed trial.
type failure struct{ error }

// Run runs a check and waits at most for timeout; 0 means DefaultTimeout. If the
// check does not return in time, its goroutine is left running. notes are for the
// test's log.
func Run(timeout time.Duration, run func(*Trial)) (notes []string, err error) {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t := &Trial{Context: ctx, Timeout: timeout}
	done := make(chan error, 1)
	go func() {
		defer func() {
			switch p := recover().(type) {
			case nil:
				done <- nil
			case failure:
				done <- p.error
			default:
				done <- fmt.Errorf("%s: panic: %v\n%s", t.currentStep(), p, debug.Stack())
			}
		}()
		run(t)
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case err = <-done:
	case <-timer.C:
		err = fmt.Errorf("timed out after %v: %s", timeout, t.currentStep())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.notes, err
}

// Report reports the result of a trial to a test.
func Report(t testing.TB, expects string, notes []string, err error) {
	t.Helper()
	for _, note := range notes {
		t.Log(note)
	}
	if err != nil {
		t.Errorf("%v\nthis test expects %s", err, expects)
	}
}

// Failf ends the trial with an error.
func (t *Trial) Failf(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// Note adds a line to the test's log, whether the trial fails or not.
func (t *Trial) Note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// Step sets the current step, which errors name.
func (t *Trial) Step(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.step = fmt.Sprintf(format, args...)
}

func (t *Trial) currentStep() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.step
}

// Must fails the trial with the current step if err is not nil.
func (t *Trial) Must(err error) {
	if err != nil {
		t.Failf("%s: %w", t.currentStep(), err)
	}
}
