package controller_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

// /readyz reports in each phase whether the program is ready, with a line for each
// informer. /healthz is 200 in every phase.
func TestHealthEndpointsInEachPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var allowed atomic.Bool
		s := newTestProgram(t, apitest.Options{Authorize: func(apitest.Attributes) (bool, string) { return allowed.Load(), "" }})
		release := make(chan struct{})
		c := s.newController("maps", func(context.Context, controller.Request) (controller.Result, error) {
			<-release
			return controller.Result{}, nil
		})
		e := newFakeElector(func(string) {})
		s.options.Leader = e
		s.create("a")
		s.run(c)
		synctest.Wait()

		code, body := s.get("/readyz")
		require.Equal(t, 503, code)
		require.Equal(t, `[+]program ok
[-]informer/configmaps failed: watch configmaps: configmaps is forbidden: User "admin" cannot watch resource "configmaps" in API group "" at the cluster scope (allow the user named in the error to list and watch configmaps, with a Role or ClusterRole (apiGroups: [""], resources: ["configmaps"], verbs: [list, watch]) and a binding; no restart is needed)
readyz check failed
`, body)
		alive := func() {
			code, body := s.get("/healthz")
			require.Equal(t, 200, code, body)
			require.Equal(t, "ok", body)
		}
		alive()

		allowed.Store(true)
		time.Sleep(time.Minute)
		code, body = s.get("/readyz") // on standby
		require.Equal(t, 200, code, body)
		require.Equal(t, "ok", body)
		_, body = s.get("/readyz?verbose")
		require.Equal(t, "[+]program ok\n[+]informer/configmaps ok\nreadyz check passed\n", body)
		_, body = s.get("/healthz?verbose")
		require.Equal(t, "[+]ping ok\n[+]leader ok\n[+]controller/maps ok\nhealthz check passed\n", body)
		require.False(t, c.State().Running)

		e.lead <- struct{}{}
		synctest.Wait()
		require.Len(t, c.State().Working, 1)
		code, _ = s.get("/readyz")
		require.Equal(t, 200, code)

		s.stop()
		synctest.Wait()
		code, body = s.get("/readyz") // a reconcile is still in progress
		require.Equal(t, 503, code)
		require.Contains(t, body, "[-]program failed: stopping\n")
		alive()
		close(release)
		require.NoError(t, <-s.ended)
		code, _ = s.get("/healthz")
		require.Zero(t, code)
	})
}

// Run stops in this order: readiness, controllers, leadership, informers, address.
func TestRunStopsInReverseOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		events := new(recorder)
		record := func(event string) {
			code, _ := s.get("/readyz")
			events.add(fmt.Sprintf("%s: readyz %d, informer running: %v", event, code, s.maps.State().Running))
		}
		c := s.newController("maps", func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			time.Sleep(10 * time.Second)
			record("reconcile ends")
			return controller.Result{}, nil
		})
		elected := make(chan struct{})
		e := newFakeElector(func(event string) {
			record(event)
			if event == "election ended" {
				close(elected)
			}
		})
		s.options.Leader = e
		s.options.StopDelay = 3 * time.Second
		_, err := s.maps.AddEventHandler(informer.ResourceEventHandlerFuncs[*configMap]{AddFunc: func(*configMap, bool) {
			<-elected
			time.Sleep(time.Second)
			record("handler ends")
		}}, informer.HandlerOptions{})
		require.NoError(t, err)
		s.create("a")
		s.run(c)
		e.lead <- struct{}{}
		synctest.Wait()
		require.Len(t, c.State().Working, 1)
		s.stop()
		synctest.Wait()
		record("stop requested")
		time.Sleep(2 * time.Second)
		require.True(t, c.State().Running, "the controller stops after StopDelay")
		require.NoError(t, <-s.ended)
		events.add(fmt.Sprintf("informer running: %v", s.maps.State().Running))
		require.Equal(t, []string{
			"stop requested: readyz 503, informer running: true",
			"reconcile ends: readyz 503, informer running: true",
			"leadership released: readyz 503, informer running: true",
			"election ended: readyz 503, informer running: true",
			"handler ends: readyz 503, informer running: true",
			"informer running: false",
		}, events.all())
	})
}

// Informers run on every replica, controllers only on the leader. When the leadership
// is lost, the reconciles are canceled at once. When it is won again, all keys are
// reconciled again.
func TestOnlyTheLeaderReconciles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		var reconciled atomic.Int64
		canceled := make(chan struct{}, 1)
		c := s.newController("maps", func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			if reconciled.Add(1) == 1 {
				<-ctx.Done()
				canceled <- struct{}{}
			}
			return controller.Result{}, nil
		})
		e := newFakeElector(func(string) {})
		s.options.Leader = e
		s.create("a")
		s.create("b")
		s.run(c)
		time.Sleep(time.Hour)
		require.True(t, s.maps.HasSynced())
		require.Zero(t, reconciled.Load())
		e.lead <- struct{}{}
		synctest.Wait()
		require.EqualValues(t, 1, reconciled.Load())
		lost := time.Now()
		e.lose <- struct{}{}
		<-canceled
		require.Zero(t, time.Since(lost))
		synctest.Wait()
		require.False(t, c.State().Running)
		code, _ := s.get("/readyz")
		require.Equal(t, 200, code)
		e.lead <- struct{}{}
		synctest.Wait()
		require.EqualValues(t, 3, reconciled.Load())
		require.NoError(t, s.stopAndWait())
	})
}

// A replica that has not synced joins the election after electionDelay.
func TestUnsyncedReplicaJoinsTheElectionLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{Authorize: func(apitest.Attributes) (bool, string) { return false, "" }})
		e := newFakeElector(func(string) {})
		s.options.Leader = e
		began := time.Now()
		s.run(s.newController("maps", doNothing))
		e.lead <- struct{}{}
		require.Equal(t, 30*time.Second, time.Since(began))
		require.NoError(t, s.stopAndWait())
	})
}

// Run ends with the error when Synced, an informer or the election fails.
func TestFirstErrorEndsRun(t *testing.T) {
	for name, arrange := range map[string]func(*testProgram) (others []*controller.Controller, want string){
		"Synced fails": func(s *testProgram) ([]*controller.Controller, string) {
			s.options.Synced = func(context.Context) error { return errors.New("no default class") }
			return nil, "controller: RunOptions.Synced: no default class"
		},
		"informer ends": func(s *testProgram) ([]*controller.Controller, string) {
			s.options.Informers = []controller.Informer{endingInformer{s.maps}}
			return nil, "controller: the informer configmaps ended before the program was asked to stop"
		},
		"election fails": func(s *testProgram) ([]*controller.Controller, string) {
			s.options.Leader = failingElector{}
			return nil, "controller: election: no such namespace"
		},
		"election ends": func(s *testProgram) ([]*controller.Controller, string) {
			s.options.Leader = endingElector{}
			return nil, "controller: RunOptions.Leader: its Run returned before the program was asked to stop"
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestProgram(t, apitest.Options{})
				c := s.newController("maps", doNothing)
				others, want := arrange(s)
				s.run(append(others, c)...)
				require.EqualError(t, <-s.ended, want)
				require.False(t, s.maps.State().Running)
				require.False(t, c.State().Running)
			})
		})
	}
}

type endingInformer struct {
	*informer.SharedInformer[*configMap]
}

func (endingInformer) Run(context.Context) error { return nil }

type failingElector struct{}

func (failingElector) Check() error { return nil }

func (failingElector) Run(context.Context, func(context.Context) error) error {
	return errors.New("no such namespace")
}

type endingElector struct{ failingElector }

func (endingElector) Run(context.Context, func(context.Context) error) error { return nil }

// A program that has failed does not wait for StopDelay.
func TestFailureSkipsStopDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.options.StopDelay = time.Hour
		elector := delayedFailure{make(chan struct{})}
		s.options.Leader = elector
		s.run(s.newController("maps", doNothing))
		synctest.Wait()
		began := time.Now()
		s.stop()
		time.Sleep(time.Minute)
		close(elector.now)
		require.EqualError(t, <-s.ended, "controller: election: no such namespace")
		require.Equal(t, time.Minute, time.Since(began))
	})
}

type delayedFailure struct{ now chan struct{} }

func (delayedFailure) Check() error { return nil }

func (f delayedFailure) Run(context.Context, func(context.Context) error) error {
	<-f.now
	return errors.New("no such namespace")
}

// Run returns although Synced, a handler or the elector does not. The error names it.
func TestRunReportsFunctionsThatDoNotReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		release := make(chan struct{})
		defer close(release)
		_, err := s.maps.AddEventHandler(informer.ResourceEventHandlerFuncs[*configMap]{AddFunc: func(*configMap, bool) { <-release }}, informer.HandlerOptions{Name: "blocked"})
		require.NoError(t, err)
		s.options.Synced = func(context.Context) error { <-release; return nil }
		s.options.StopTimeout = 3 * time.Second
		s.create("a")
		s.run(s.newController("maps", doNothing))
		synctest.Wait()
		began := time.Now()
		err = s.stopAndWait()
		require.ErrorIs(t, err, controller.ErrStillRunning)
		require.EqualError(t, err, "controller: not ended in time: Synced, 3s after the stop was requested\n"+
			"controller: not ended in time: the informers, 3s after the stop was requested: handler blocked of configmaps has been in a callback for 6s")
		require.Equal(t, 6*time.Second, time.Since(began))
	})
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		stuck := stuckElector{make(chan struct{})}
		defer close(stuck.release)
		s.options.Leader = stuck
		s.run(s.newController("maps", doNothing))
		synctest.Wait()
		require.ErrorContains(t, s.stopAndWait(), "not ended in time: the election, which releases the leadership, 5s after")
	})
}

// If the election ends before the reconciles do, the error lists them.
func TestElectionErrorNamesTheReconciles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		release := make(chan struct{})
		c := s.newController("maps", func(context.Context, controller.Request) (controller.Result, error) {
			<-release
			return controller.Result{}, nil
		})
		elector := impatientElector{make(chan struct{})}
		s.options.Leader = elector
		s.create("a")
		s.run(c)
		synctest.Wait()
		close(elector.now)
		require.EqualError(t, <-s.ended, "controller: election: lease lost; controller maps is still reconciling default/a")
		close(release)
		synctest.Wait()
	})
}

// impatientElector is an elector that does not wait until lead has returned.
type impatientElector struct{ now chan struct{} }

func (impatientElector) Check() error { return nil }

func (e impatientElector) Run(ctx context.Context, lead func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { _ = lead(ctx) }()
	<-e.now
	return errors.New("lease lost")
}

type stuckElector struct{ release chan struct{} }

func (stuckElector) Check() error { return nil }

func (s stuckElector) Run(context.Context, func(context.Context) error) error {
	<-s.release
	return nil
}

// An informer that does not sync is logged after five seconds with the reason and a
// hint, then every five minutes, and once when it has synced.
func TestUnsyncedInformersAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var allowed atomic.Bool
		s := newTestProgram(t, apitest.Options{Authorize: func(apitest.Attributes) (bool, string) { return allowed.Load(), "" }})
		s.options.Serve = nil
		s.run(s.newController("maps", doNothing))
		time.Sleep(4900 * time.Millisecond)
		require.Empty(t, s.log.take())
		time.Sleep(4 * time.Minute)
		line := s.log.take()
		require.Equal(t, 1, strings.Count(line, "\n"), line)
		for _, want := range []string{
			`level=WARN msg="An informer has not synced" informer=configmaps resource=configmaps version=v1 verb=watch reason=forbidden err="`,
			`cannot watch resource`, `help="allow the user named in the error to list and watch configmaps, with a Role or ClusterRole`, ` for=5s`,
		} {
			require.Contains(t, line, want)
		}
		time.Sleep(2 * time.Minute)
		require.Equal(t, 1, strings.Count(s.log.take(), "\n"))
		allowed.Store(true)
		time.Sleep(2 * time.Minute)
		require.Regexp(t, `^level=INFO msg="The informer has synced" informer=configmaps objects=\d+ after=\S+\n$`, s.log.take())
		require.NoError(t, s.stopAndWait())
	})
}
