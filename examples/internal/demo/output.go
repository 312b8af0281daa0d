// Package demo records the output of a demonstration, so that one goroutine can wait for
// the output of others.
//
//	output := demo.NewOutput(os.Stdout)
//	fmt.Fprintln(output, "ready")       // in any goroutine
//	err := output.Wait(ctx, "ready")    // until the line has been written
package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// Timeout is the timeout of Wait.
const Timeout = 20 * time.Second

// Output is a writer that is safe for concurrent use. Each write should consist of whole
// lines.
type Output struct {
	mu    sync.Mutex
	out   io.Writer
	lines []string      // written since the last Wait
	more  chan struct{} // closed, and replaced, with each write
}

// NewOutput returns an Output that writes to out.
func NewOutput(out io.Writer) *Output { return &Output{out: out, more: make(chan struct{})} }

// Write implements io.Writer.
func (o *Output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for line := range bytes.Lines(text) {
		o.lines = append(o.lines, string(bytes.TrimRight(line, "\n")))
	}
	close(o.more)
	o.more = make(chan struct{})
	return o.out.Write(text)
}

// Wait waits until each of the lines has been written since the previous Wait returned.
// It returns an error after [Timeout].
func (o *Output) Wait(ctx context.Context, lines ...string) error {
	timer := time.NewTimer(Timeout)
	defer timer.Stop()
	for {
		missing, more := o.missing(lines)
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-more:
		case <-timer.C:
			return fmt.Errorf("not printed within %v: %s", Timeout, strings.Join(missing, "; "))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// missing returns the lines that have not been written. If there are none, it starts
// the next step.
func (o *Output) missing(lines []string) (missing []string, more <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, line := range lines {
		if !slices.Contains(o.lines, line) {
			missing = append(missing, line)
		}
	}
	if len(missing) == 0 {
		o.lines = nil
	}
	return missing, o.more
}
