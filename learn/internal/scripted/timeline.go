package scripted

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
)

// Timeline prints the run of a chapter, each line with the time since its beginning.
type Timeline struct {
	w     io.Writer
	begin time.Time
	mu    sync.Mutex
}

// NewTimeline returns a Timeline that begins now, and prints its first line.
func NewTimeline(w io.Writer) *Timeline {
	fmt.Fprintln(w, "time      part")
	return &Timeline{w: w, begin: time.Now()}
}

// Print prints what a part has done.
func (l *Timeline) Print(part, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := fmt.Sprintf("%-9v %-9s ", time.Since(l.begin), part) + fmt.Sprintf(format, args...)
	fmt.Fprintln(l.w, strings.TrimRight(line, " "))
}

// Store returns a store whose calls are printed.
func (l *Timeline) Store() *Store {
	return &Store{Before: func(call string) error {
		l.Print("store", "%s", call)
		return nil
	}}
}

// Source returns a ListerWatcher whose requests and their errors are printed.
func (l *Timeline) Source(source stack.ListerWatcher) stack.ListerWatcher {
	return printedSource{source, l}
}

type printedSource struct {
	source stack.ListerWatcher
	line   *Timeline
}

func (s printedSource) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[stack.Object], error) {
	s.line.Print("request", "%s", Request{Verb: "list", Options: options})
	list, err := s.source.List(ctx, options)
	s.result(ctx, err)
	return list, err
}

func (s printedSource) Watch(ctx context.Context, options metav1.ListOptions) (*listwatch.Watch[stack.Object], error) {
	s.line.Print("request", "%s", Request{Verb: "watch", Options: options})
	w, err := s.source.Watch(ctx, options)
	s.result(ctx, err)
	return w, err
}

// result prints an error, unless it is a consequence of the context.
func (s printedSource) result(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		text := err.Error()
		s.line.Print("response", "%s", text[max(0, strings.LastIndex(text, ": ")+2):])
	}
}
