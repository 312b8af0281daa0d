package leader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/rest"
)

// runElector runs an elector with the given lead function.
func runElector(t *testing.T, srv *apitest.Server, o Options, lead func(context.Context) error) (e *Elector, stop context.CancelFunc, ended chan error) {
	t.Helper()
	client, err := rest.New(srv.Config())
	if err != nil {
		t.Fatal(err)
	}
	o.Namespace, o.Name = "default", "operator"
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	e = New(client, o)
	ctx, stop := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	go func() {
		err := e.Run(ctx, lead)
		client.Close()
		ended <- err
	}()
	return e, stop, ended
}

var leaseKey = &leaseObject{TypeMeta: leaseType, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "operator"}}

func newServer(t *testing.T) *apitest.Server {
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(srv.Close)
	return srv
}

// A leader that cannot renew stops leading RenewDeadline after its last renewal. It leads
// again when the server is reachable.
func TestLossOfTheLeaseDoesNotEndRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		calls := make(chan context.Context, 10)
		e, stop, ended := runElector(t, srv, Options{}, func(ctx context.Context) error {
			calls <- ctx
			<-ctx.Done()
			return ctx.Err()
		})
		ctx := <-calls
		time.Sleep(time.Minute)
		fault := srv.Fault(apitest.Fault{Action: apitest.Silence()})
		outage := time.Now()
		<-ctx.Done()
		if took := time.Since(outage); took < 8*time.Second || took > 10*time.Second {
			t.Errorf("the context of lead ended %v after the outage began", took)
		}
		if cause := context.Cause(ctx); cause != controller.ErrNotLeading || controller.Leading(ctx).Err() == nil {
			t.Errorf("the cause is %v, the error of Leading is %v", cause, controller.Leading(ctx).Err())
		}
		synctest.Wait()
		if err := e.Check(); err != nil || e.State().Leading {
			t.Errorf("candidate during the outage: Check: %v, State: %+v", err, e.State())
		}
		time.Sleep(time.Minute)
		fault.Remove()
		select {
		case <-calls:
		case <-time.After(8 * time.Second):
			t.Error("not leading again after the outage")
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// When lead returns before its context ends, Run releases the Lease and returns the error
// of lead.
func TestRunEndsWithLead(t *testing.T) {
	for _, want := range []error{nil, errors.New("no disk")} {
		synctest.Test(t, func(t *testing.T) {
			srv := newServer(t)
			_, stop, ended := runElector(t, srv, Options{}, func(context.Context) error {
				time.Sleep(time.Minute)
				return want
			})
			defer stop()
			if err := <-ended; err != want {
				t.Errorf("Run returned %v, lead returned %v", err, want)
			}
			if l := apitest.Get(t, srv, leaseKey); *l.Spec.HolderIdentity != "" {
				t.Errorf("the lease is still held by %q", *l.Spec.HolderIdentity)
			}
		})
	}
}

// Run returns the error of lead also if the context of lead has ended.
func TestErrorOfLeadIsReturnedAfterAStop(t *testing.T) {
	want := errors.New("cannot save")
	for name, end := range map[string]func(*apitest.Server, context.CancelFunc){
		"stopped": func(_ *apitest.Server, stop context.CancelFunc) { stop() },
		"lost":    func(srv *apitest.Server, _ context.CancelFunc) { srv.Stop() },
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := newServer(t)
			_, stop, ended := runElector(t, srv, Options{}, func(ctx context.Context) error { <-ctx.Done(); return want })
			defer stop()
			time.Sleep(time.Minute)
			end(srv, stop)
			if err := <-ended; err != want {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// blockedLimiter is a RateLimiter that blocks until open is closed.
type blockedLimiter struct{ open chan struct{} }

func (l blockedLimiter) Wait(ctx context.Context) error {
	select {
	case <-l.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// The election does not wait for the program's rate limiter and does not close the
// program's client. Its requests have a timeout parameter.
func TestElectionDoesNotUseTheProgramsLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		config, limit := srv.Config(), blockedLimiter{make(chan struct{})}
		config.RateLimiter = limit
		client, err := rest.New(config)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		e := New(client, Options{Namespace: "default", Name: "operator", Logger: slog.New(slog.DiscardHandler)})
		got := make(chan error)
		go func() {
			_, err := client.GroupVersion(groupVersion).Get().Resource("leases").Do(t.Context()).Get()
			got <- err
		}()
		if err := e.Run(t.Context(), func(context.Context) error { time.Sleep(time.Minute); return nil }); err != nil {
			t.Error(err)
		}
		for _, r := range srv.Requests(apitest.Match{}) {
			if r.Parameter("timeout") == "" {
				t.Errorf("no timeout parameter: %s %s?%s", r.Method, r.Path, r.Query)
			}
		}
		close(limit.open)
		if err := <-got; err != nil {
			t.Errorf("request of the program after the election: %v", err)
		}
	})
}

// After a stop the Lease is renewed until lead has returned. Then it is released, also
// after a conflict.
func TestStoppingKeepsTheLeaseUntilLeadHasReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		calls, release := make(chan context.Context, 1), make(chan struct{})
		_, stop, ended := runElector(t, srv, Options{Identity: "a"}, func(ctx context.Context) error {
			calls <- ctx
			<-ctx.Done()
			<-release
			return nil
		})
		ctx := <-calls
		other, stopOther, otherEnded := runElector(t, srv, Options{Identity: "b"}, func(ctx context.Context) error { <-ctx.Done(); return nil })
		stop()
		time.Sleep(5 * time.Minute)
		if ctx.Err() == nil || controller.Leading(ctx).Err() != nil || other.State().Leading {
			t.Errorf("ctx: %v; Leading: %v; the other candidate: %+v", ctx.Err(), controller.Leading(ctx).Err(), other.State())
		}
		apitest.Modify(t, srv, leaseKey, func(l *leaseObject) { l.Labels = map[string]string{"team": "shop"} })
		close(release)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		l := apitest.Get(t, srv, leaseKey)
		if *l.Spec.HolderIdentity != "" || l.Labels["team"] != "shop" {
			t.Errorf("the Lease after the release: %+v", l)
		}
		time.Sleep(3 * time.Second)
		if !other.State().Leading {
			t.Errorf("the Lease was released; the other candidate: %+v", other.State())
		}
		stopOther()
		<-otherEnded
	})
}

// If lead returns ErrStillRunning, the Lease is not released.
func TestRunningReconcileKeepsTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		left := &controller.StopError{Controller: "widgets"}
		_, stop, ended := runElector(t, srv, Options{Identity: "a"}, func(ctx context.Context) error { <-ctx.Done(); return left })
		time.Sleep(time.Minute)
		stop()
		if err := <-ended; err != left {
			t.Error(err)
		}
		if l := apitest.Get(t, srv, leaseKey); *l.Spec.HolderIdentity != "a" {
			t.Errorf("the Lease was released; the holder is %q", *l.Spec.HolderIdentity)
		}
	})
}

// During an outage the release gives up before controller.RunOptions.StopTimeout.
func TestStopDuringAnOutageIsFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		_, stop, ended := runElector(t, srv, Options{}, func(ctx context.Context) error { <-ctx.Done(); return nil })
		time.Sleep(time.Minute)
		srv.Fault(apitest.Fault{Action: apitest.Freeze()})
		time.Sleep(3 * time.Second)
		began := time.Now()
		stop()
		const bound = 5 * time.Second // controller.RunOptions.StopTimeout
		if err := <-ended; err != nil || time.Since(began) >= bound {
			t.Errorf("Run returned after %v: %v", time.Since(began), err)
		}
		srv.RemoveFaults()
	})
}

// lead does not run if the process was suspended until the end of the term.
func TestExpiredTermDoesNotStartLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		client, err := rest.New(srv.Config())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		e := New(client, Options{Namespace: "default", Name: "operator", Logger: slog.New(slog.DiscardHandler)})
		reads := 0
		e.wallClock = func() time.Time {
			if reads++; reads == 1 {
				return time.Now()
			}
			return time.Now().Add(time.Hour)
		}
		expired := errors.New("lead was called after the term")
		if err := e.Run(t.Context(), func(ctx context.Context) error {
			if ctx.Err() != nil {
				return expired
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if l := apitest.Get(t, srv, leaseKey); reads < 3 || *l.Spec.HolderIdentity != "" {
			t.Errorf("the clock was read %d times; the holder is %q", reads, *l.Spec.HolderIdentity)
		}
	})
}

// If lead does not return in time after a loss, Run returns ErrStillRunning, and Check
// reports it until lead has returned.
func TestLeadThatContinuesIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(t)
		calls, release := make(chan context.Context, 1), make(chan struct{})
		e, stop, ended := runElector(t, srv, Options{}, func(ctx context.Context) error {
			calls <- ctx
			<-release
			return nil
		})
		defer stop()
		ctx := <-calls
		srv.Stop()
		<-ctx.Done()
		lost := time.Now()
		err := <-ended
		if took := time.Since(lost); !errors.Is(err, ErrStillRunning) || took != 5*time.Second {
			t.Errorf("Run returned after %v: %v", took, err)
		}
		time.Sleep(time.Second)
		if err := e.Check(); !errors.Is(err, ErrStillRunning) {
			t.Errorf("Check: %v", err)
		}
		if err := e.Run(t.Context(), func(context.Context) error { return nil }); !errors.Is(err, ErrStillRunning) {
			t.Errorf("second Run: %v", err)
		}
		close(release)
		synctest.Wait()
		if err := e.Check(); err != nil {
			t.Errorf("Check after lead has returned: %v", err)
		}
	})
}

// Two processes with the same identity do not lead at once.
func TestForeignHolderWithTheSameIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestCluster(t)
		defer w.stopAll()
		w.start("same", 1)
		time.Sleep(time.Second)
		second := w.start("same", 2)
		time.Sleep(5 * time.Minute)
		w.check()
		if second.State().Leading {
			t.Error("both processes lead")
		}
	})
}

// OnNewLeader is called for each leader in order, and with "" after a release.
func TestNewLeadersAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestCluster(t)
		defer w.stopAll()
		a := w.start("a", 1)
		time.Sleep(time.Second)
		var leaders []string
		b := w.start("b", 2, func(o *Options) { o.OnNewLeader = func(name string) { leaders = append(leaders, name) } })
		time.Sleep(time.Minute)
		a.stop()
		time.Sleep(time.Minute)
		b.stop()
		<-b.ended
		if fmt.Sprint(slices.Compact(slices.DeleteFunc(slices.Clone(leaders), func(s string) bool { return s == "" }))) != "[a b]" || leaders[len(leaders)-1] != "" {
			t.Errorf("OnNewLeader was called with %q", leaders)
		}
	})
}

// An error about missing rights has the verb and the resource. The election succeeds when
// the rights are granted.
func TestMissingRightsAreReported(t *testing.T) {
	for _, verb := range []string{"get", "create", "update"} {
		synctest.Test(t, func(t *testing.T) {
			var forbidden atomic.Bool
			forbidden.Store(true)
			srv := apitest.NewServer(apitest.Options{InMemory: true, Authorize: func(a apitest.Attributes) (bool, string) {
				return !forbidden.Load() || a.Verb != verb || a.Resource != "leases", "no"
			}})
			defer srv.Close()
			if verb == "update" {
				apitest.Create(t, srv, &leaseObject{TypeMeta: leaseType, ObjectMeta: leaseKey.ObjectMeta})
			}
			var log strings.Builder
			leads := make(chan bool, 1)
			e, stop, ended := runElector(t, srv, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(ctx context.Context) error {
				leads <- true
				<-ctx.Done()
				return nil
			})
			time.Sleep(time.Minute)
			synctest.Wait()
			err := e.State().Err
			if err == nil || !strings.Contains(err.Error(), "cannot "+verb+` resource "leases" in API group "coordination.k8s.io" in the namespace "default"`) {
				t.Errorf("%s: %v", verb, err)
			}
			if n := strings.Count(log.String(), "WARN"); n != 1 {
				t.Errorf("%s: warned %d times:\n%s", verb, n, log.String())
			}
			if n := len(srv.Requests(apitest.Match{})); n > 100 {
				t.Errorf("%s: %d requests in a minute", verb, n)
			}
			forbidden.Store(false)
			<-leads
			stop()
			if err := <-ended; err != nil || e.State().Err != nil {
				t.Error(err, e.State().Err)
			}
		})
	}
}

// A renewal without a response is repeated on a new connection within RenewDeadline.
func TestDeadConnectionDoesNotLoseTheLease(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	t.Cleanup(srv.Close)
	calls := make(chan context.Context, 2)
	_, stop, ended := runElector(t, srv, Options{LeaseDuration: 8 * time.Second, RenewDeadline: 6 * time.Second, RetryPeriod: 300 * time.Millisecond},
		func(ctx context.Context) error { calls <- ctx; <-ctx.Done(); return nil })
	ctx := <-calls
	srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "update"}, Nth: 1, Action: apitest.Freeze()})
	select {
	case <-ctx.Done():
		t.Errorf("the lease was lost: %v", context.Cause(ctx))
	case <-time.After(8 * time.Second):
	}
	stop()
	srv.RemoveFaults()
	<-ended
}

// A second Run, a nil lead and invalid options are errors.
func TestInvalidArgumentsAreErrors(t *testing.T) {
	client, err := rest.New(&rest.Config{Host: "http://nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	idle := func(context.Context) error { return nil }
	for want, e := range map[string]*Elector{
		"Name is empty":                     New(client, Options{Namespace: "a"}),
		"does not run in a pod":             New(client, Options{Name: "a"}),
		"the client is nil":                 New(nil, Options{Namespace: "a", Name: "a"}),
		"must not contain '/'":              New(client, Options{Namespace: "a", Name: "a/b"}),
		"begins or ends with a space":       New(client, Options{Namespace: "a", Name: "a", Identity: "a\n"}),
		"negative":                          New(client, Options{Namespace: "a", Name: "a", RetryPeriod: -1}),
		"must be longer than RenewDeadline": New(client, Options{Namespace: "a", Name: "a", LeaseDuration: 10 * time.Second}),
		"1.2 times RetryPeriod":             New(client, Options{Namespace: "a", Name: "a", RetryPeriod: 9 * time.Second}),
		"more than a Lease can store":       New(client, Options{Namespace: "a", Name: "a", LeaseDuration: 1 << 62}),
	} {
		if err := e.Run(t.Context(), idle); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if e.Check() == nil {
			t.Errorf("%s: Check returned nil", want)
		}
	}
	if err := New(client, Options{Namespace: "a", Name: "a"}).Run(t.Context(), nil); !errors.Is(err, ErrOptions) {
		t.Error(err)
	}
	synctest.Test(t, func(t *testing.T) {
		e, stop, ended := runElector(t, newServer(t), Options{}, func(ctx context.Context) error { <-ctx.Done(); return nil })
		synctest.Wait()
		if err := e.Run(t.Context(), idle); err != ErrRunning {
			t.Error(err)
		}
		stop()
		<-ended
	})
}
