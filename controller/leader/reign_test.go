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

// alone runs an elector with a lead of the test's own.
func alone(t *testing.T, srv *apitest.Server, o Options, lead func(context.Context) error) (e *Elector, stop context.CancelFunc, ended chan error) {
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

var likeLease = &leaseObject{TypeMeta: leaseType, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "operator"}}

func inMemory(t *testing.T) *apitest.Server {
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(srv.Close)
	return srv
}

// A leader that cannot renew ends RenewDeadline after its last renewal; after it
// has been healed it leads again.
func TestALossEndsLeadAndNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := inMemory(t)
		calls := make(chan context.Context, 10)
		e, stop, ended := alone(t, srv, Options{}, func(ctx context.Context) error {
			calls <- ctx
			<-ctx.Done()
			return ctx.Err()
		})
		ctx := <-calls
		time.Sleep(time.Minute)
		fault := srv.Fault(apitest.Fault{Do: apitest.Silence()})
		cut := time.Now()
		<-ctx.Done()
		if took := time.Since(cut); took < 8*time.Second || took > 10*time.Second {
			t.Errorf("the last renewal was at most 2 s before, and lead was told after %v", took)
		}
		if cause := context.Cause(ctx); cause != controller.ErrNotLeading || controller.Leading(ctx).Err() == nil {
			t.Errorf("lead was told %v, and leading is %v", cause, controller.Leading(ctx).Err())
		}
		synctest.Wait()
		if err := e.Check(); err != nil || e.State().Leading {
			t.Errorf("a candidate without a server: %v, %+v", err, e.State())
		}
		time.Sleep(time.Minute)
		fault.Lift()
		select {
		case <-calls:
		case <-time.After(8 * time.Second):
			t.Error("it does not lead again")
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// When lead returns without having been told to, the Lease is given back, and its
// error is that of Run.
func TestTheEndOfLeadIsTheEndOfRun(t *testing.T) {
	for _, want := range []error{nil, errors.New("no disk")} {
		synctest.Test(t, func(t *testing.T) {
			srv := inMemory(t)
			_, stop, ended := alone(t, srv, Options{}, func(context.Context) error {
				time.Sleep(time.Minute)
				return want
			})
			defer stop()
			if err := <-ended; err != want {
				t.Errorf("Run returns %v, lead has returned %v", err, want)
			}
			if l := apitest.Get(t, srv, likeLease); *l.Spec.HolderIdentity != "" {
				t.Errorf("the lease is still held by %q", *l.Spec.HolderIdentity)
			}
		})
	}
}

// Nor does an error of lead's own get lost because it was told to end.
func TestAnErrorAtTheEndIsToldToo(t *testing.T) {
	want := errors.New("cannot save")
	for name, end := range map[string]func(*apitest.Server, context.CancelFunc){
		"stopped": func(_ *apitest.Server, stop context.CancelFunc) { stop() },
		"lost":    func(srv *apitest.Server, _ context.CancelFunc) { srv.Stop() },
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := inMemory(t)
			_, stop, ended := alone(t, srv, Options{}, func(ctx context.Context) error { <-ctx.Done(); return want })
			defer stop()
			time.Sleep(time.Minute)
			end(srv, stop)
			if err := <-ended; err != want {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// holdup is a RateLimiter that lets nobody go while it is closed.
type holdup struct{ open chan struct{} }

func (h holdup) Wait(ctx context.Context) error {
	select {
	case <-h.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// The election waits behind nothing that the program does, and at its end leaves
// the program's client as it was. The server is told how long an answer is good
// for.
func TestAnElectionHasAClientOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := inMemory(t)
		config, limit := srv.Config(), holdup{make(chan struct{})}
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
				t.Errorf("%s %s?%s", r.Method, r.Path, r.Query)
			}
		}
		close(limit.open)
		if err := <-got; err != nil {
			t.Errorf("what the program asks for, after the election: %v", err)
		}
	})
}

// The Lease is renewed until lead has returned, and given back only then, also if
// that meets a conflict.
func TestStoppingKeepsTheLeaseUntilLeadHasReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := inMemory(t)
		calls, calm := make(chan context.Context, 1), make(chan struct{})
		_, stop, ended := alone(t, srv, Options{Identity: "a"}, func(ctx context.Context) error {
			calls <- ctx
			<-ctx.Done()
			<-calm
			return nil
		})
		ctx := <-calls
		other, stopOther, otherEnded := alone(t, srv, Options{Identity: "b"}, func(ctx context.Context) error { <-ctx.Done(); return nil })
		stop()
		time.Sleep(5 * time.Minute)
		if ctx.Err() == nil || controller.Leading(ctx).Err() != nil || other.State().Leading {
			t.Errorf("told to stop: %v; leading: %v; the other one: %+v", ctx.Err(), controller.Leading(ctx).Err(), other.State())
		}
		apitest.Modify(t, srv, likeLease, func(l *leaseObject) { l.Labels = map[string]string{"team": "shop"} })
		close(calm)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		l := apitest.Get(t, srv, likeLease)
		if *l.Spec.HolderIdentity != "" || l.Labels["team"] != "shop" {
			t.Errorf("left behind: %+v", l)
		}
		time.Sleep(3 * time.Second)
		if !other.State().Leading {
			t.Errorf("it was given back, and %+v", other.State())
		}
		stopOther()
		<-otherEnded
	})
}

// What lead has left behind acts still, so nobody is let in before the Lease has
// run out.
func TestWhatIsLeftBehindKeepsTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := inMemory(t)
		left := &controller.StopError{Controller: "widgets"}
		_, stop, ended := alone(t, srv, Options{Identity: "a"}, func(ctx context.Context) error { <-ctx.Done(); return left })
		time.Sleep(time.Minute)
		stop()
		if err := <-ended; err != left {
			t.Error(err)
		}
		if l := apitest.Get(t, srv, likeLease); *l.Spec.HolderIdentity != "a" {
			t.Errorf("it was given back: %q", *l.Spec.HolderIdentity)
		}
	})
}

// Giving back is a courtesy: a program that ends during an outage is not held up
// for as long as it gives its elector.
func TestStoppingDuringAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := inMemory(t)
		_, stop, ended := alone(t, srv, Options{}, func(ctx context.Context) error { <-ctx.Done(); return nil })
		time.Sleep(time.Minute)
		srv.Fault(apitest.Fault{Do: apitest.Freeze()})
		time.Sleep(3 * time.Second)
		began := time.Now()
		stop()
		const bound = 5 * time.Second // controller.RunOptions.StopTimeout
		if err := <-ended; err != nil || time.Since(began) >= bound {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		srv.LiftFaults()
	})
}

// A machine that was suspended while it won begins nothing.
func TestAVictoryThatIsOverIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := inMemory(t)
		client, err := rest.New(srv.Config())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		e := New(client, Options{Namespace: "default", Name: "operator", Logger: slog.New(slog.DiscardHandler)})
		asked := 0
		e.wall = func() time.Time {
			if asked++; asked == 1 {
				return time.Now()
			}
			return time.Now().Add(time.Hour)
		}
		lost := errors.New("called when it did not lead")
		if err := e.Run(t.Context(), func(ctx context.Context) error {
			if ctx.Err() != nil {
				return lost
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if l := apitest.Get(t, srv, likeLease); asked < 3 || *l.Spec.HolderIdentity != "" {
			t.Errorf("the clock was looked at %d times; left behind: %q", asked, *l.Spec.HolderIdentity)
		}
	})
}

// A lead that does not return in time after a loss is left behind: Run says so,
// and Check until it has returned.
func TestALeadThatGoesOnIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := inMemory(t)
		calls, calm := make(chan context.Context, 1), make(chan struct{})
		e, stop, ended := alone(t, srv, Options{}, func(ctx context.Context) error {
			calls <- ctx
			<-calm
			return nil
		})
		defer stop()
		ctx := <-calls
		srv.Stop()
		<-ctx.Done()
		lost := time.Now()
		err := <-ended
		if took := time.Since(lost); !errors.Is(err, ErrStillActing) || took != 5*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		time.Sleep(time.Second)
		if err := e.Check(); !errors.Is(err, ErrStillActing) {
			t.Errorf("Check: %v", err)
		}
		if err := e.Run(t.Context(), func(context.Context) error { return nil }); !errors.Is(err, ErrStillActing) {
			t.Errorf("Run beside it: %v", err)
		}
		close(calm)
		synctest.Wait()
		if err := e.Check(); err != nil {
			t.Errorf("lead has returned, and Check: %v", err)
		}
	})
}

// One that says our identity and was not written by us is another's.
func TestAStrangerOfTheSameNameIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.stopAll()
		w.start("twin", 1)
		time.Sleep(time.Second)
		second := w.start("twin", 2)
		time.Sleep(5 * time.Minute)
		w.check()
		if second.State().Leading {
			t.Error("both lead")
		}
	})
}

// OnNewLeader is told of each in order, and of nobody when the Lease was given
// back.
func TestNewLeadersAreToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.stopAll()
		a := w.start("a", 1)
		time.Sleep(time.Second)
		var told []string
		b := w.start("b", 2, func(o *Options) { o.OnNewLeader = func(name string) { told = append(told, name) } })
		time.Sleep(time.Minute)
		a.stop()
		time.Sleep(time.Minute)
		b.stop()
		<-b.ended
		if fmt.Sprint(slices.Compact(slices.DeleteFunc(told, func(s string) bool { return s == "" }))) != "[a b]" || told[len(told)-1] != "" {
			t.Errorf("told of %q", told)
		}
	})
}

// What the service account may not do is in the error, with verb and resource;
// and once it may, all is well.
func TestMissingRightsAreNamed(t *testing.T) {
	for _, verb := range []string{"get", "create", "update"} {
		synctest.Test(t, func(t *testing.T) {
			var forbidden atomic.Bool
			forbidden.Store(true)
			srv := apitest.NewServer(apitest.Options{InMemory: true, Authorize: func(a apitest.Attributes) (bool, string) {
				return !forbidden.Load() || a.Verb != verb || a.Resource != "leases", "no"
			}})
			defer srv.Close()
			if verb == "update" {
				apitest.Create(t, srv, &leaseObject{TypeMeta: leaseType, ObjectMeta: likeLease.ObjectMeta})
			}
			var log strings.Builder
			leads := make(chan bool, 1)
			e, stop, ended := alone(t, srv, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(ctx context.Context) error {
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

// A renewal that is not answered goes on a new connection, while there is time.
func TestADeadConnectionDoesNotCostTheLease(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	t.Cleanup(srv.Close)
	calls := make(chan context.Context, 2)
	_, stop, ended := alone(t, srv, Options{LeaseDuration: 8 * time.Second, RenewDeadline: 6 * time.Second, RetryPeriod: 300 * time.Millisecond},
		func(ctx context.Context) error { calls <- ctx; <-ctx.Done(); return nil })
	ctx := <-calls
	srv.Fault(apitest.Fault{On: apitest.Match{Verb: "update"}, Nth: 1, Do: apitest.Freeze()})
	select {
	case <-ctx.Done():
		t.Errorf("the lease was lost: %v", context.Cause(ctx))
	case <-time.After(8 * time.Second):
	}
	stop()
	srv.LiftFaults()
	<-ended
}

// Run twice, without lead, or with options that are wrong.
func TestMistakesOfTheCaller(t *testing.T) {
	client, err := rest.New(&rest.Config{Host: "http://nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	idle := func(context.Context) error { return nil }
	for says, e := range map[string]*Elector{
		"Name is empty":                     New(client, Options{Namespace: "a"}),
		"in no pod that could tell it":      New(client, Options{Name: "a"}),
		"the client is nil":                 New(nil, Options{Namespace: "a", Name: "a"}),
		"may not contain '/'":               New(client, Options{Namespace: "a", Name: "a/b"}),
		"begins or ends with a space":       New(client, Options{Namespace: "a", Name: "a", Identity: "a\n"}),
		"negative":                          New(client, Options{Namespace: "a", Name: "a", RetryPeriod: -1}),
		"must be longer than RenewDeadline": New(client, Options{Namespace: "a", Name: "a", LeaseDuration: 10 * time.Second}),
		"1.2 times RetryPeriod":             New(client, Options{Namespace: "a", Name: "a", RetryPeriod: 9 * time.Second}),
		"more than a Lease can say":         New(client, Options{Namespace: "a", Name: "a", LeaseDuration: 1 << 62}),
	} {
		if err := e.Run(t.Context(), idle); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
		if e.Check() == nil {
			t.Errorf("%s: Check finds nothing", says)
		}
	}
	if err := New(client, Options{Namespace: "a", Name: "a"}).Run(t.Context(), nil); !errors.Is(err, ErrOptions) {
		t.Error(err)
	}
	synctest.Test(t, func(t *testing.T) {
		e, stop, ended := alone(t, inMemory(t), Options{}, func(ctx context.Context) error { <-ctx.Done(); return nil })
		synctest.Wait()
		if err := e.Run(t.Context(), idle); err != ErrRunning {
			t.Error(err)
		}
		stop()
		<-ended
	})
}
