// Package diary is for examples that tell a story: everybody in it writes down
// what happens, and who has something happen waits for what follows from it.
//
//	tale := diary.New(os.Stdout)
//	fmt.Fprintln(tale, "the bell rings")      // on any goroutine
//	err := tale.Wait(ctx, "the door is open") // until somebody has written that
package diary

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

// Patience is how long Wait waits.
const Patience = 20 * time.Second

// Diary is a writer for any number of goroutines. What is written at once should
// be whole lines.
type Diary struct {
	mu    sync.Mutex
	out   io.Writer
	lines []string      // those of this step of the story
	more  chan struct{} // closed, and replaced, with each write
}

// New returns an empty diary, which passes on to out what is written.
func New(out io.Writer) *Diary { return &Diary{out: out, more: make(chan struct{})} }

// Write implements io.Writer.
func (d *Diary) Write(text []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for line := range bytes.Lines(text) {
		d.lines = append(d.lines, string(bytes.TrimRight(line, "\n")))
	}
	close(d.more)
	d.more = make(chan struct{})
	return d.out.Write(text)
}

// Wait waits until each of the lines has been written since the last Wait has
// returned: the end of a step of the story. It does not wait for ever.
func (d *Diary) Wait(ctx context.Context, lines ...string) error {
	late := time.NewTimer(Patience)
	defer late.Stop()
	for {
		missing, more := d.missing(lines)
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-more:
		case <-late.C:
			return fmt.Errorf("this has not happened within %v: %s", Patience, strings.Join(missing, "; "))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// missing are the lines that this step lacks. Without any, that was the step.
func (d *Diary) missing(lines []string) (missing []string, more <-chan struct{}) {
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
