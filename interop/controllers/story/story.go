// Package story makes what a controller does comparable: a program that has a
// controller in it also plays the users of its cluster, one step after the
// other, and no step begins before the controller has said what the step before
// it was to lead to. So two builds of one program print the same text, whatever
// their informers are made of, or they do not do the same.
package story

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// patience is how long a step waits for the controller.
const patience = 30 * time.Second

// Story writes down steps, and under each what the controller said to it.
type Story struct {
	ctx context.Context
	out io.Writer

	mu   sync.Mutex
	said []string      // and not yet written down
	more chan struct{} // closed when more is said
}

// New begins a story that is written to out. It ends with ctx.
func New(ctx context.Context, out io.Writer) *Story {
	return &Story{ctx: ctx, out: out, more: make(chan struct{})}
}

// Say is for the controller, in whichever goroutine.
func (s *Story) Say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, fmt.Sprintf(format, args...))
	close(s.more)
	s.more = make(chan struct{})
}

// Step does something and waits until the controller has said all of want, in
// any order. What it said in between that nobody wanted is written down as well,
// and so is what it said after the end of the last step.
func (s *Story) Step(title string, do func() error, want ...string) error {
	fmt.Fprintf(s.out, "# %s\n", title)
	s.writeDown("  late: ")
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	slices.Sort(want)
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	for {
		missing, more := s.missing(want)
		if len(missing) == 0 {
			s.writeDown("  ")
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			s.writeDown("  ")
			return fmt.Errorf("%s: the controller has not said %q: %w", title, missing, context.Cause(ctx))
		}
	}
}

// missing is what of want has not been said, and a channel that is closed when
// it is to be asked again.
func (s *Story) missing(want []string) (missing []string, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := slices.Clone(s.said)
	for _, line := range want {
		if i := slices.Index(said, line); i >= 0 {
			said = slices.Delete(said, i, i+1) // said twice is wanted twice
		} else {
			missing = append(missing, line)
		}
	}
	return missing, s.more
}

// writeDown writes what was said, sorted: the controller has several workers.
func (s *Story) writeDown(prefix string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.said)
	for _, line := range s.said {
		fmt.Fprintln(s.out, prefix+strings.TrimSpace(line))
	}
	s.said = nil
}
