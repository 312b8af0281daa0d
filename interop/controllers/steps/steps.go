// Package steps makes the work of a controller comparable. A program with a controller also
// acts as the users of its cluster, in steps. A step begins only when the controller has
// reported all expected results of the previous step. So two builds of one program print the
// same text if, and only if, they do the same.
package steps

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// timeout bounds a step.
const timeout = 2 * time.Minute

// Recorder prints steps, and the reports of the controller for each step.
type Recorder struct {
	ctx context.Context
	out io.Writer

	begun bool // the first step has begun; earlier reports belong to it

	mu      sync.Mutex
	reports []string      // not yet printed
	more    chan struct{} // closed on the next report
}

// New returns a Recorder that prints to out until ctx ends.
func New(ctx context.Context, out io.Writer) *Recorder {
	return &Recorder{ctx: ctx, out: out, more: make(chan struct{})}
}

// Report records a result of the controller. It is safe for concurrent use.
func (r *Recorder) Report(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports = append(r.reports, fmt.Sprintf(format, args...))
	close(r.more)
	r.more = make(chan struct{})
}

// Step calls do and waits until the controller has reported all of want, in any order. It
// prints all reports, including unexpected ones. Reports after the end of the previous step
// are marked as late. Reports before the first step belong to the first step, since the
// controller starts concurrently with it.
func (r *Recorder) Step(title string, do func() error, want ...string) error {
	fmt.Fprintf(r.out, "# %s\n", title)
	if r.begun {
		r.print("  late: ")
	}
	r.begun = true
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	slices.Sort(want)
	ctx, cancel := context.WithTimeout(r.ctx, timeout)
	defer cancel()
	for {
		missing, more := r.missing(want)
		if len(missing) == 0 {
			r.print("  ")
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			r.print("  ")
			return fmt.Errorf("%s: the controller has not reported %q: %w", title, missing, context.Cause(ctx))
		}
	}
}

// missing returns the lines of want that have not been reported, and a channel that is
// closed on the next report.
func (r *Recorder) missing(want []string) (missing []string, more <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reports := slices.Clone(r.reports)
	for _, line := range want {
		if i := slices.Index(reports, line); i >= 0 {
			reports = slices.Delete(reports, i, i+1) // a line that is wanted twice is reported twice
		} else {
			missing = append(missing, line)
		}
	}
	return missing, r.more
}

// print prints the reports. It sorts them, since the controller has several workers.
func (r *Recorder) print(prefix string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.reports)
	for _, line := range r.reports {
		fmt.Fprintln(r.out, prefix+strings.TrimSpace(line))
	}
	r.reports = nil
}
