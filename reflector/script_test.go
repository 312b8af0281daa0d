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

// pod is what sources made by hand serve.
type pod struct {
	rest.SlimMeta
	label string
}

func newPod(name, version string) *pod {
	return &pod{SlimMeta: rest.SlimMeta{Name: name, UID: types.UID("uid-" + name), ResourceVersion: version}}
}

// script is a source that answers as it is told, and takes down what it is
// asked. A watch or list too many waits for ever.
type script struct {
	lists   []func(ctx context.Context) (*listwatch.List[*pod], error)
	watches []func(ctx context.Context) (*listwatch.Watch[*pod], error)

	mu    sync.Mutex
	asked []string
}

func (s *script) ask(what string, o metav1.ListOptions) {
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
	s.asked = append(s.asked, what)
}

func (s *script) requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.asked, ", ")
}

func (s *script) List(ctx context.Context, o metav1.ListOptions) (*listwatch.List[*pod], error) {
	s.ask("list", o)
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

func (s *script) Watch(ctx context.Context, o metav1.ListOptions) (*listwatch.Watch[*pod], error) {
	s.ask("watch", o)
	if len(s.watches) == 0 {
		return events()(ctx)
	}
	next := s.watches[0]
	s.watches = s.watches[1:]
	return next(ctx)
}

func (s *script) list(version string, items ...*pod) *script {
	s.lists = append(s.lists, func(context.Context) (*listwatch.List[*pod], error) { return rest.ListOf(version, items...), nil })
	return s
}

func (s *script) items(version string, items iter.Seq2[*pod, error]) *script {
	s.lists = append(s.lists, func(context.Context) (*listwatch.List[*pod], error) {
		return rest.NewList(items, func() string { return version }), nil
	})
	return s
}

func (s *script) watch(what ...any) *script {
	s.watches = append(s.watches, events(what...))
	return s
}

// events is a watch that brings events, errors and pauses, and then nothing
// more.
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
	return &listwatch.ItemError{Type: t, Name: name, UID: types.UID("uid-" + name), ResourceVersion: version, Err: errors.New("what is it")}
}

// ledger is a store that takes down what it is told.
type ledger struct {
	lines []string
	pods  map[string]*pod
	fails map[string]error // of a line
	busy  bool
}

func newLedger() *ledger { return &ledger{pods: map[string]*pod{}, fails: map[string]error{}} }

func (l *ledger) enter(line string) error {
	if l.busy {
		panic("two at once")
	}
	l.lines = append(l.lines, line)
	return l.fails[line]
}

func (l *ledger) put(line string, p *pod) error {
	err := l.enter(line + " " + p.Name)
	if err == nil {
		l.pods[p.Name] = p
	}
	return err
}

func (l *ledger) Add(p *pod) error    { return l.put("add", p) }
func (l *ledger) Update(p *pod) error { return l.put("update", p) }

func (l *ledger) Delete(p *pod) error {
	delete(l.pods, p.Name)
	return l.enter("delete " + p.Name)
}

func (l *ledger) Bookmark(version string) { _ = l.enter("@" + version) }
func (l *ledger) Resync() error           { return l.enter("resync") }

func (l *ledger) Replace(items iter.Seq2[*pod, error], version func() string) error {
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

func (l *ledger) all() string { return strings.Join(l.lines, ", ") }

// knowing is a ledger that can say what it knows.
type knowing struct{ *ledger }

func (k knowing) Known(key string) (*pod, bool) { p, ok := k.pods[key]; return p, ok }

// playing is a reflector that runs on a script.
type playing struct {
	*script
	*ledger
	r *Reflector[*pod]

	mu   sync.Mutex
	errs []error
}

// run lets a reflector run for a while, in a bubble, and returns what it left.
func play(t *testing.T, s *script, l *ledger, o Options[*pod], last time.Duration) *playing {
	t.Helper()
	return playOn(t, s, l, l, o, last)
}

func playOn(t *testing.T, s *script, l *ledger, store Store[*pod], o Options[*pod], last time.Duration) *playing {
	t.Helper()
	p := &playing{script: s, ledger: l}
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
		require.Equal(t, Stopped, p.r.State().Phase)
	})
	return p
}

func (p *playing) said() string {
	var all []string
	for _, err := range p.errs {
		all = append(all, firstLine(err.Error()))
	}
	return strings.Join(all, "; ")
}

var errReset = fmt.Errorf("read: %w", io.ErrUnexpectedEOF)

// apiStatus is an answer of a server, or an event of type ERROR.
type apiStatus struct{ code int32 }

func (e *apiStatus) Error() string { return fmt.Sprintf("it answered %d", e.code) }

// Status makes it an APIStatus.
func (e *apiStatus) Status() metav1.Status {
	return metav1.Status{Status: metav1.StatusFailure, Code: e.code}
}
