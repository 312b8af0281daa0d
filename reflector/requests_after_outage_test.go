package reflector

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// afterOutage is one collection of a server that is healthy, then unavailable,
// and then answers watches and checks as the test defines.
type afterOutage struct {
	*serverAfterOutage
	shared *rest.Recovery
	// down: requests fail with rejection. If that is nil, their connections are refused.
	down      bool
	rejection error
	// resumed is when a watch was last opened.
	resumed time.Time
}

type serverAfterOutage struct {
	mu sync.Mutex // guards all fields of this struct and of afterOutage
	// begun: the outage has begun, and cut is closed.
	begun bool
	cut   chan struct{}
	// watchEnds and check are the outcomes of watches and checks after the outage: nil
	// is a watch that stays open, and a check that succeeds.
	watchEnds error
	check     func(context.Context) error
	requests  int
	open      int
}

func (s *afterOutage) Recovery() *rest.Recovery { return s.shared }

// set calls change with the lock held.
func (s *serverAfterOutage) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *afterOutage) requestError() error {
	s.set(func() { s.requests++ })
	time.Sleep(time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.down:
		return nil
	case s.rejection != nil:
		return s.rejection
	}
	return syscall.ECONNREFUSED
}

func (s *afterOutage) List(ctx context.Context, o metav1.ListOptions) (*listwatch.List[*pod], error) {
	if err := s.requestError(); err != nil {
		return nil, err
	}
	var checks bool
	s.set(func() { checks = s.begun && o.Limit == 1 && s.check != nil })
	if checks {
		if err := s.check(ctx); err != nil {
			return nil, err
		}
	}
	return rest.ListOf[*pod]("5"), nil
}

func (s *afterOutage) Watch(context.Context, metav1.ListOptions) (*listwatch.Watch[*pod], error) {
	if err := s.requestError(); err != nil {
		return nil, err
	}
	ends, cut := s.watchEnds, s.cut
	s.set(func() {
		if s.begun {
			cut = nil
		} else {
			ends = nil
		}
		s.open++
		s.resumed = time.Now()
	})
	return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*pod], error) {
		if ends != nil {
			return listwatch.Event[*pod]{}, ends
		}
		select {
		case <-cut:
			return listwatch.Event[*pod]{}, syscall.ECONNRESET
		case <-ctx.Done():
			return listwatch.Event[*pod]{}, ctx.Err()
		}
	}, func() { s.set(func() { s.open-- }) }), nil
}

// reflectors starts n reflectors of different collections, which belong to the
// groups in turn.
func (s *serverAfterOutage) reflectors(t *testing.T, n, groups int) (all []*afterOutage, stop func()) {
	s.cut = make(chan struct{})
	shared := rest.NewRecovery(func() {})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	for i := range n {
		source := &afterOutage{serverAfterOutage: s, shared: shared.InGroup(fmt.Sprint("g", i%groups))}
		all = append(all, source)
		r := New(source, Store[*pod](discardStore{}), Options[*pod]{Name: fmt.Sprint(i), PreferList: true, IdleTimeout: -1, WatchErrorHandler: func(context.Context, error) {}})
		go func() { _ = r.Run(ctx); done <- struct{}{} }()
	}
	return all, func() {
		cancel()
		for range n {
			<-done
		}
	}
}

// begin starts the outage.
func (s *serverAfterOutage) begin(all []*afterOutage, rejection error) {
	s.set(func() {
		for _, source := range all {
			source.down, source.rejection = true, rejection
		}
		s.begun = true
	})
	close(s.cut)
}

func statusOf(code int) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: int32(code), Message: http.StatusText(code)}}
}

// Promise: for all outcomes of watches and checks after an outage, the
// reflectors of a client send few requests, and a watch is finally read even if
// the version cannot be checked.
func TestRequestsAfterAnOutageAreBounded(t *testing.T) {
	fails := func(err error) func(context.Context) error { return func(context.Context) error { return err } }
	checks := map[string]func(context.Context) error{
		"ok": nil, "500": fails(statusOf(500)), "503": fails(statusOf(503)), "429": fails(statusOf(429)), "403": fails(statusOf(403)),
		"reset": fails(syscall.ECONNRESET), "broken": fails(io.ErrUnexpectedEOF),
		"hanging": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	}
	watches := map[string]error{"ok": nil, "ends": io.EOF, "reset": syscall.ECONNRESET, "500": statusOf(500)}
	for _, size := range []struct{ informers, groups int }{{1, 1}, {2, 1}, {3, 3}, {12, 3}} {
		for watch, ends := range watches {
			for check, outcome := range checks {
				t.Run(fmt.Sprintf("%d informers in %d groups/watch %s/check %s", size.informers, size.groups, watch, check), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := &serverAfterOutage{watchEnds: ends, check: outcome}
						all, stop := s.reflectors(t, size.informers, size.groups)
						defer stop()
						time.Sleep(20 * time.Second)
						s.begin(all, nil)
						time.Sleep(3 * time.Second)
						s.set(func() {
							for _, source := range all {
								source.down = false
							}
							s.requests = 0
						})
						time.Sleep(5 * time.Second)
						s.set(func() { require.LessOrEqual(t, s.requests, 8*size.informers+40, "requests in five seconds") })
						time.Sleep(10 * time.Minute)
						before := 0
						s.set(func() {
							require.LessOrEqual(t, s.open, size.informers)
							before = s.requests
						})
						if ends != nil {
							return
						}
						time.Sleep(time.Minute)
						s.set(func() {
							require.Equal(t, size.informers, s.open, "open watches")
							require.Equal(t, before, s.requests, "requests while the watches are open")
						})
					})
				})
			}
		}
	}
}

// Promise: the recovery of one API group is detected within three seconds, even
// if many other groups remain down.
func TestRecoveryOfOneGroupIsDetected(t *testing.T) {
	for _, outage := range []time.Duration{8 * time.Second, 45 * time.Second} {
		for _, groups := range []int{3, 11} {
			var delays []time.Duration
			for i := range 20 {
				synctest.Test(t, func(t *testing.T) {
					s := &serverAfterOutage{}
					all, stop := s.reflectors(t, groups, groups)
					defer stop()
					time.Sleep(20 * time.Second)
					s.begin(all, statusOf(503))
					time.Sleep(outage)
					up, at := all[i%groups], time.Now()
					s.set(func() { up.down = false })
					time.Sleep(time.Minute)
					s.set(func() { delays = append(delays, up.resumed.Sub(at)) })
				})
			}
			require.Less(t, slices.Max(delays), 3*time.Second, "%d groups, outage of %v", groups, outage)
			require.Greater(t, slices.Min(delays), time.Duration(0))
		}
	}
}
