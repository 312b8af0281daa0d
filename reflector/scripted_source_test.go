package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// pod is the object of scripted sources.
type pod struct {
	rest.SlimMeta
	label string
}

func newPod(name, version string) *pod {
	return &pod{SlimMeta: rest.SlimMeta{Name: name, UID: types.UID("uid-" + name), ResourceVersion: version}}
}

// scriptedSource is a source whose lists and watches are scripted. It records
// its requests. A request for which there is no script waits until its context
// ends.
type scriptedSource struct {
	lists   []func(ctx context.Context) (*listwatch.List[*pod], error)
	watches []func(ctx context.Context) (*listwatch.Watch[*pod], error)

	mu  sync.Mutex
	log []string
}

func (s *scriptedSource) record(what string, o metav1.ListOptions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.ResourceVersion != "" {
		what += "@" + o.ResourceVersion
	}
	if o.SendInitialEvents != nil {
		what += " all"
	}
	if o.Limit > 0 {
		what += fmt.Sprintf(" limit=%d", o.Limit)
	}
	s.log = append(s.log, what)
}

func (s *scriptedSource) requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, ", ")
}

func (s *scriptedSource) List(ctx context.Context, o metav1.ListOptions) (*listwatch.List[*pod], error) {
	s.record("list", o)
	if o.Limit == 1 {
		return rest.ListOf[*pod](o.ResourceVersion), nil
	}
	if len(s.lists) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	next := s.lists[0]
	s.lists = s.lists[1:]
	return next(ctx)
}

func (s *scriptedSource) Watch(ctx context.Context, o metav1.ListOptions) (*listwatch.Watch[*pod], error) {
	s.record("watch", o)
	if len(s.watches) == 0 {
		return events()(ctx)
	}
	next := s.watches[0]
	s.watches = s.watches[1:]
	return next(ctx)
}

func (s *scriptedSource) list(version string, items ...*pod) *scriptedSource {
	s.lists = append(s.lists, func(context.Context) (*listwatch.List[*pod], error) { return rest.ListOf(version, items...), nil })
	return s
}

func (s *scriptedSource) items(version string, items iter.Seq2[*pod, error]) *scriptedSource {
	s.lists = append(s.lists, func(context.Context) (*listwatch.List[*pod], error) {
		return rest.NewList(items, func() string { return version }), nil
	})
	return s
}

func (s *scriptedSource) watch(what ...any) *scriptedSource {
	s.watches = append(s.watches, events(what...))
	return s
}

// events returns a watch that delivers events, errors and pauses in order, and
// then waits until its context ends.
func events(what ...any) func(context.Context) (*listwatch.Watch[*pod], error) {
	return func(context.Context) (*listwatch.Watch[*pod], error) {
		return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*pod], error) {
			for len(what) > 0 {
				next := what[0]
				what = what[1:]
				switch next := next.(type) {
				case listwatch.Event[*pod]:
					return next, nil
				case time.Duration:
					select {
					case <-ctx.Done():
						return listwatch.Event[*pod]{}, ctx.Err()
					case <-time.After(next):
					}
				case error:
					return listwatch.Event[*pod]{}, next
				case func():
					next()
				}
			}
			<-ctx.Done()
			return listwatch.Event[*pod]{}, ctx.Err()
		}, nil), nil
	}
}

func added(name, version string) listwatch.Event[*pod] { return eventOf(watch.Added, name, version) }
func modified(name, version string) listwatch.Event[*pod] {
	return eventOf(watch.Modified, name, version)
}
func deleted(name, version string) listwatch.Event[*pod] {
	return eventOf(watch.Deleted, name, version)
}

func eventOf(t watch.EventType, name, version string) listwatch.Event[*pod] {
	return listwatch.Event[*pod]{Type: t, Object: newPod(name, version), ResourceVersion: version}
}

func bookmark(version string, end ...bool) listwatch.Event[*pod] {
	return listwatch.Event[*pod]{Type: watch.Bookmark, ResourceVersion: version, InitialEventsEnd: len(end) > 0}
}

func undecodable(t watch.EventType, name, version string) error {
	return &listwatch.ItemError{Type: t, Name: name, UID: types.UID("uid-" + name), ResourceVersion: version, Err: errors.New("invalid object")}
}

// recorder is a store that records its calls.
type recorder struct {
	lines []string
	pods  map[string]*pod
	fails map[string]error // errors by line
	busy  bool
}

func newRecorder() *recorder { return &recorder{pods: map[string]*pod{}, fails: map[string]error{}} }

func (l *recorder) enter(line string) error {
	if l.busy {
		panic("concurrent calls of the store")
	}
	l.lines = append(l.lines, line)
	return l.fails[line]
}

func (l *recorder) put(line string, p *pod) error {
	err := l.enter(line + " " + p.Name)
	if err == nil {
		l.pods[p.Name] = p
	}
	return err
}

func (l *recorder) Add(p *pod) error    { return l.put("add", p) }
func (l *recorder) Update(p *pod) error { return l.put("update", p) }

func (l *recorder) Delete(p *pod) error {
	delete(l.pods, p.Name)
	return l.enter("delete " + p.Name)
}

func (l *recorder) Bookmark(version string) { _ = l.enter("@" + version) }
func (l *recorder) Resync() error           { return l.enter("resync") }

func (l *recorder) Replace(items iter.Seq2[*pod, error], version func() string) error {
	l.busy = true
	defer func() { l.busy = false }()
	all, names := map[string]*pod{}, []string{}
	for item, err := range items {
		if err != nil {
			return err
		}
		all[item.Name] = item
		names = append(names, item.Name)
	}
	l.busy = false
	line := fmt.Sprintf("replace [%s] @%s", strings.Join(names, " "), version())
	l.lines = append(l.lines, line)
	if l.fails[line] == nil {
		l.pods = all
	}
	return l.fails[line]
}

func (l *recorder) calls() string { return strings.Join(l.lines, ", ") }

// recorderWithKnown is a recorder with the optional method Known.
type recorderWithKnown struct{ *recorder }

func (k recorderWithKnown) Known(key string) (*pod, bool) { p, ok := k.pods[key]; return p, ok }

// scriptRun is a run of a reflector with a scripted source.
type scriptRun struct {
	*scriptedSource
	*recorder
	r *Reflector[*pod]

	mu   sync.Mutex
	errs []error
}

// runScript runs a reflector for the given time, in a synctest bubble.
func runScript(t *testing.T, s *scriptedSource, l *recorder, o Options[*pod], last time.Duration) *scriptRun {
	t.Helper()
	return runScriptOn(t, s, l, l, o, last)
}

func runScriptOn(t *testing.T, s *scriptedSource, l *recorder, store Store[*pod], o Options[*pod], last time.Duration) *scriptRun {
	t.Helper()
	p := &scriptRun{scriptedSource: s, recorder: l}
	synctest.Test(t, func(t *testing.T) {
		if o.WatchErrorHandler == nil {
			o.WatchErrorHandler = func(_ context.Context, err error) {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.errs = append(p.errs, err)
			}
		}
		p.r = New[*pod](s, store, o)
		ctx, cancel := context.WithTimeout(t.Context(), last)
		defer cancel()
		require.NoError(t, p.r.Run(ctx))
		require.Equal(t, PhaseStopped, p.r.State().Phase)
	})
	return p
}

func (p *scriptRun) errorTexts() string {
	var all []string
	for _, err := range p.errs {
		all = append(all, firstLine(err.Error()))
	}
	return strings.Join(all, "; ")
}

var errReset = fmt.Errorf("read: %w", io.ErrUnexpectedEOF)

// apiStatus is an error response of a server, or an event of type ERROR.
type apiStatus struct{ code int32 }

func (e *apiStatus) Error() string { return fmt.Sprintf("the server responded with %d", e.code) }

// Status implements APIStatus.
func (e *apiStatus) Status() metav1.Status {
	return metav1.Status{Status: metav1.StatusFailure, Code: e.code}
}
