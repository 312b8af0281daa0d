// Package trial is what the conformance kits have in common: one thing that is
// expected of somebody's implementation is tried, for as long as there is
// patience, and what comes out is an error that says what went wrong, or while
// doing what nothing came of it.
//
// It is no testing.T, so that the kits can be tested: a broken implementation
// must fail.
package trial

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

// Trial is one try. Its methods fail it by a panic, which Perform turns into an
// error, so that what is tried reads as what it does. They are for the goroutine
// that Perform runs it on, but Doing and Note are for any.
type Trial struct {
	// Context ends with the trial.
	Context context.Context
	// Patience is how long it may take.
	Patience time.Duration

	mu    sync.Mutex
	doing string // for the case that it never returns
	notes []string
}

// Patience is that of those who do not say.
const Patience = 10 * time.Second

// failure is the panic of a trial that has failed.
type failure struct{ error }

// Perform runs a trial for as long as patience lasts, 0 being the default. One
// that does not return by then is left behind. notes are what whoever reads the
// test's log should know.
func Perform(patience time.Duration, run func(*Trial)) (notes []string, err error) {
	if patience <= 0 {
		patience = Patience
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t := &Trial{Context: ctx, Patience: patience}
	done := make(chan error, 1)
	go func() {
		defer func() {
			switch p := recover().(type) {
			case nil:
				done <- nil
			case failure:
				done <- p.error
			default:
				done <- fmt.Errorf("%s: a panic: %v\n%s", t.doingNow(), p, debug.Stack())
			}
		}()
		run(t)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err = <-done:
	case <-timer.C:
		err = fmt.Errorf("after %v it is not done with this: %s", patience, t.doingNow())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.notes, err
}

// Report tells a test what came out of a trial, and what was expected.
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

// Note adds to what is told of the trial, whether it fails or not.
func (t *Trial) Note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// Doing says what is being done, until it is called again.
func (t *Trial) Doing(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doing = fmt.Sprintf(format, args...)
}

func (t *Trial) doingNow() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.doing
}

// Must fails the trial if what is being done has failed.
func (t *Trial) Must(err error) {
	if err != nil {
		t.Failf("%s: %w", t.doingNow(), err)
	}
}
