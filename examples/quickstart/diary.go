package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// diary is where everybody writes down what happens, a line each, and where the
// story waits for what it expects. The lines come from several goroutines.
type diary struct {
	mu    sync.Mutex
	out   io.Writer
	lines []string      // of this step of the story
	more  chan struct{} // closed, and another one, with each line
}

// sayFunc writes a line down: who does what.
type sayFunc func(who, format string, args ...any)

func newDiary(out io.Writer) *diary { return &diary{out: out, more: make(chan struct{})} }

func (d *diary) say(who, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.out, "%-10s %s\n", who, line)
	d.lines = append(d.lines, line)
	close(d.more)
	d.more = make(chan struct{})
}

// wait waits for the lines that end a step of the story, and begins the next.
func (d *diary) wait(ctx context.Context, lines ...string) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		missing, more := d.missing(lines)
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-more:
		case <-late.C:
			return fmt.Errorf("this has not happened within %v: %s", patience, strings.Join(missing, "; "))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// missing are the lines that have not been said in this step. If none is, that
// was the step.
func (d *diary) missing(lines []string) (missing []string, more <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, line := range lines {
		if !slices.Contains(d.lines, line) {
			missing = append(missing, line)
		}
	}
	if len(missing) == 0 {
		d.lines = nil
	}
	return missing, d.more
}
