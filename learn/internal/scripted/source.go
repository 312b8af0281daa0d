package scripted

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Answer is the response to a list or to a watch.
type Answer struct {
	err     error
	silent  bool
	delay   time.Duration
	steps   []Step
	version string
	objects []stack.Object
	broken  error
}

// Opens is a watch with these steps.
func Opens(steps ...Step) Answer { return Answer{steps: steps} }

// Lists is a list.
func Lists(version string, objects ...stack.Object) Answer {
	return Answer{version: version, objects: objects}
}

// ListsUntil is a list that fails after the objects.
func ListsUntil(err error, objects ...stack.Object) Answer {
	return Answer{objects: objects, broken: err}
}

// Fails is an error instead of a list or a watch.
func Fails(err error) Answer { return Answer{err: err} }

// Silent is no response until the context of the request ends.
func Silent() Answer { return Answer{silent: true} }

// Late is the answer after some time.
func Late(delay time.Duration, answer Answer) Answer {
	answer.delay = delay
	return answer
}

// Request is a request that a Source has received.
type Request struct {
	Verb    string // "list" or "watch"
	Options metav1.ListOptions
	At      time.Duration // since the first request
}

// String returns the request as "watch from 12".
func (r Request) String() string {
	text := r.Verb
	if r.Options.SendInitialEvents != nil && *r.Options.SendInitialEvents {
		text = "streamed list"
	}
	if r.Options.ResourceVersion != "" {
		text += " from " + r.Options.ResourceVersion
	}
	return text
}

// Source is a ListerWatcher. Each request takes the next answer of its verb. After the
// last one, requests receive no response until their context ends.
type Source struct {
	Lists, Watches []Answer

	mu       sync.Mutex
	begin    time.Time
	requests []Request
	watches  []*openWatch
	leaks    []string
}

var _ stack.ListerWatcher = (*Source)(nil)

// List implements listwatch.Lister.
func (s *Source) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[stack.Object], error) {
	answer, err := s.take(ctx, "list", options, &s.Lists)
	if err != nil {
		return nil, err
	}
	items := func(yield func(stack.Object, error) bool) {
		for _, object := range answer.objects {
			if !yield(object, nil) {
				return
			}
		}
		if answer.broken != nil {
			yield(nil, answer.broken)
		}
	}
	return rest.NewList(items, func() string { return answer.version }), nil
}

// Watch implements listwatch.Watcher.
func (s *Source) Watch(ctx context.Context, options metav1.ListOptions) (*listwatch.Watch[stack.Object], error) {
	answer, err := s.take(ctx, "watch", options, &s.Watches)
	if err != nil {
		return nil, err
	}
	open, w := newWatch(ctx, options.ResourceVersion, answer.steps)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches = append(s.watches, open)
	return w, nil
}

// take records a request and returns its answer.
func (s *Source) take(ctx context.Context, verb string, options metav1.ListOptions, answers *[]Answer) (Answer, error) {
	s.mu.Lock()
	if s.begin.IsZero() {
		s.begin = time.Now()
	}
	request := Request{Verb: verb, Options: options, At: time.Since(s.begin)}
	s.requests = append(s.requests, request)
	for _, w := range s.watches {
		if w.isHeld() {
			s.leaks = append(s.leaks, fmt.Sprintf("the watch from version %q has not been stopped when the next %s is requested: call its Stop", w.from, verb))
		}
	}
	answer := Answer{silent: true}
	if len(*answers) > 0 {
		answer, *answers = (*answers)[0], (*answers)[1:]
	}
	s.mu.Unlock()

	wait := make(<-chan time.Time)
	if !answer.silent {
		wait = time.After(answer.delay)
	}
	select {
	case <-wait:
		return answer, answer.err
	case <-ctx.Done():
		return answer, fmt.Errorf("%s: %w", verb, ctx.Err())
	}
}

// Requests returns the requests received so far.
func (s *Source) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Log returns the requests as one line: "list, watch from 10, watch from 12".
func (s *Source) Log() string {
	var lines []string
	for _, request := range s.Requests() {
		lines = append(lines, request.String())
	}
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, ", ")
}

// Leak describes a watch that was not stopped before the next request or, with atEnd, at
// this time. It returns "" if there is none.
func (s *Source) Leak(atEnd bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.leaks) > 0 {
		return s.leaks[0]
	}
	for _, w := range s.watches {
		if atEnd && w.isHeld() {
			return fmt.Sprintf("the watch from version %q has not been stopped at the end: call its Stop", w.from)
		}
	}
	return ""
}
