// Package process runs a program of judge.Main with limits, and returns the outcome of
// each check. A solution that panics in a goroutine, exits or does not end stops the
// program: Judge starts it again with the next check.
package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"github.com/thinformer/thinformer/learn/internal/record"
)

// Program is a program that calls judge.Main.
type Program struct {
	Path string
	// Args come before those of judge.Main.
	Args []string
	// Limit is the real time of all checks, with each start of the program.
	Limit time.Duration
}

// Outcome is the outcome of a check.
type Outcome struct {
	record.Result
	// Output is what the solution printed during the check, shortened.
	Output string
}

// ErrLimit is the error of Judge if the time was not enough for all checks.
var ErrLimit = errors.New("the time limit is exceeded")

// Judge runs the checks, whose number is given, and calls report after each one, until
// report returns false. A solution that ends the program before the first check is an error.
func (p Program) Judge(ctx context.Context, checks int, report func(Outcome) bool) error {
	limited, cancel := context.WithTimeoutCause(ctx, p.Limit, ErrLimit)
	defer cancel()
	var later []string // arguments after a check that has exceeded its limit
	for from := 0; from < checks; {
		arguments := append([]string{"-from", strconv.Itoa(from)}, later...)
		judged, err := p.once(limited, arguments, func(o Outcome) bool {
			if o.Endless {
				later = []string{"-limit", laterLimit.String()}
			}
			return report(o)
		})
		if limited.Err() != nil {
			return context.Cause(limited)
		}
		if errors.Is(err, errStop) {
			return nil
		}
		if err != nil {
			return err
		}
		from += judged
	}
	return nil
}

// laterLimit is the limit of a check after one has exceeded its limit: the mistake is
// often in a function that all checks call, and more of them are judged.
const laterLimit = time.Second

// errStop is the error of once after report has returned false.
var errStop = errors.New("stopped")

// once runs the program until it ends. It returns the number of checks that have an
// outcome, which is at least one without an error.
func (p Program) once(ctx context.Context, arguments []string, report func(Outcome) bool) (judged int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &records{ended: func(o Outcome) {
		if judged++; ctx.Err() == nil && !report(o) {
			cancel(errStop)
		}
	}}
	command := exec.CommandContext(ctx, p.Path, append(p.Args[:len(p.Args):len(p.Args)], arguments...)...)
	// One pipe for both: the output of the solution stays between the records of its check.
	command.Stdout, command.Stderr = r, r
	// A process that the solution has started may keep the pipe open.
	command.WaitDelay = time.Second
	ownGroup(command)
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("start the checks: %w", err)
	}
	defer killGroup(command)
	exit := command.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return judged, cause
	}
	r.flush()
	reason, printed := crash(exit, r.output.text())
	if r.check != "" {
		r.ended(Outcome{record.Result{Check: r.check, Reason: reason}, printed})
	}
	if judged == 0 {
		return 0, errors.New(reason)
	}
	return judged, context.Cause(ctx)
}
