package controller_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

// diary is what happened, in order.
type diary struct {
	mu      sync.Mutex
	entries []string
}

func (d *diary) note(entry string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, entry)
}

func (d *diary) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.entries
}

// /readyz says at each phase whether the program is ready and why not, informer
// by informer; /healthz stays 200 through all of them.
func TestProbesAtEachPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var allowed atomic.Bool
		s := newScene(t, apitest.Options{Authorize: func(apitest.Attributes) (bool, string) { return allowed.Load(), "" }})
		release := make(chan struct{})
		c := s.controller("maps", func(context.Context, controller.Request) (controller.Result, error) {
			<-release
			return controller.Result{}, nil
		})
		e := newElector(func(string) {})
		s.options.Leader = e
		s.create("a")
		s.run(c)
		synctest.Wait()

		code, body := s.get("/readyz")
		require.Equal(t, 503, code)
		require.Equal(t, `[+]program ok
[-]informer/configmaps failed: watch configmaps: configmaps is forbidden: User "admin" cannot watch resource "configmaps" in API group "" at the cluster scope (let the user that err names list and watch configmaps, by a Role or ClusterRole (apiGroups: [""], resources: ["configmaps"], verbs: [list, watch]) and a binding; it goes on by itself then)
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
		code, body = s.get("/readyz") // it stands by
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
		code, body = s.get("/readyz") // while the reconcile has not ended
		require.Equal(t, 503, code)
		require.Contains(t, body, "[-]program failed: it is stopping\n")
		alive()
		close(release)
		require.NoError(t, <-s.ended)
		code, _ = s.get("/healthz")
		require.Zero(t, code)
	})
}

// What was started first ends last: readiness, controllers, leadership,
// informers, the address.
func TestTheEndIsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		d := new(diary)
		look := func(when string) {
			code, _ := s.get("/readyz")
			d.note(fmt.Sprintf("%s: readyz %d, informer running: %v", when, code, s.maps.State().Running))
		}
		c := s.controller("maps", func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			time.Sleep(10 * time.Second)
			look("reconcile ends")
			return controller.Result{}, nil
		})
		elected := make(chan struct{})
		e := newElector(func(what string) {
			look(what)
			if what == "election ended" {
				close(elected)
			}
		})
		s.options.Leader = e
		s.options.StopDelay = 3 * time.Second
		_, err := s.maps.AddEventHandler(informer.ResourceEventHandlerFuncs[*configMap]{AddFunc: func(*configMap, bool) {
			<-elected
			time.Sleep(time.Second)
			look("handler ends")
		}}, informer.HandlerOptions{})
		require.NoError(t, err)
		s.create("a")
		s.run(c)
		e.lead <- struct{}{}
		synctest.Wait()
		require.Len(t, c.State().Working, 1)
		s.stop()
		synctest.Wait()
		look("told to stop")
		time.Sleep(2 * time.Second)
		require.True(t, c.State().Running, "others have not heard of it")
		require.NoError(t, <-s.ended)
		d.note(fmt.Sprintf("informer running: %v", s.maps.State().Running))
		require.Equal(t, []string{
			"told to stop: readyz 503, informer running: true",
			"reconcile ends: readyz 503, informer running: true",
			"released: readyz 503, informer running: true",
			"election ended: readyz 503, informer running: true",
			"handler ends: readyz 503, informer running: true",
			"informer running: false",
		}, d.all())
	})
}

// Informers run on every replica; controllers only where it leads, and not a
// moment longer; when it leads again everything comes anew.
func TestWarmStandby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		var reconciled atomic.Int64
		canceled := make(chan struct{}, 1)
		c := s.controller("maps", func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			if reconciled.Add(1) == 1 {
				<-ctx.Done()
				canceled <- struct{}{}
			}
			return controller.Result{}, nil
		})
		e := newElector(func(string) {})
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
		require.NoError(t, s.end())
	})
}

// Who has not synced lets others lead, but not for ever.
func TestWhoHasNotSyncedLetsOthersLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{Authorize: func(apitest.Attributes) (bool, string) { return false, "" }})
		e := newElector(func(string) {})
		s.options.Leader = e
		began := time.Now()
		s.run(s.controller("maps", nothing))
		e.lead <- struct{}{}
		require.Equal(t, 30*time.Second, time.Since(began))
		require.NoError(t, s.end())
	})
}

// A controller that fails, an informer that does, and what was called after the
// first sync end all the others, in order.
func TestOneErrorEndsAll(t *testing.T) {
	for name, arrange := range map[string]func(*scene) (others []*controller.Controller, want string){
		"Synced": func(s *scene) ([]*controller.Controller, string) {
			s.options.Synced = func(context.Context) error { return errors.New("there is no default class") }
			return nil, "controller: RunOptions.Synced: there is no default class"
		},
		"an informer that ends": func(s *scene) ([]*controller.Controller, string) {
			s.options.Informers = []controller.Informer{ending{s.maps}}
			return nil, "controller: the informer configmaps has ended by itself"
		},
		"the election": func(s *scene) ([]*controller.Controller, string) {
			s.options.Leader = failing{}
			return nil, "controller: the election: no such namespace"
		},
		"an election that ends": func(s *scene) ([]*controller.Controller, string) {
			s.options.Leader = giving{}
			return nil, "controller: the election has ended by itself"
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t, apitest.Options{})
				c := s.controller("maps", nothing)
				others, want := arrange(s)
				s.run(append(others, c)...)
				require.EqualError(t, <-s.ended, want)
				require.False(t, s.maps.State().Running)
				require.False(t, c.State().Running)
			})
		})
	}
}

type ending struct {
	*informer.SharedInformer[*configMap]
}

func (ending) Run(context.Context) error { return nil }

type failing struct{}

func (failing) Check() error { return nil }

func (failing) Run(context.Context, func(context.Context) error) error {
	return errors.New("no such namespace")
}

type giving struct{ failing }

func (giving) Run(context.Context, func(context.Context) error) error { return nil }

// Who has failed has nothing to wait for before it stops.
func TestAFailureCutsTheDelayShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		s.options.StopDelay = time.Hour
		fails := failingLater{make(chan struct{})}
		s.options.Leader = fails
		s.run(s.controller("maps", nothing))
		synctest.Wait()
		began := time.Now()
		s.stop()
		time.Sleep(time.Minute)
		close(fails.now)
		require.EqualError(t, <-s.ended, "controller: the election: no such namespace")
		require.Equal(t, time.Minute, time.Since(began))
	})
}

type failingLater struct{ now chan struct{} }

func (failingLater) Check() error { return nil }

func (f failingLater) Run(context.Context, func(context.Context) error) error {
	<-f.now
	return errors.New("no such namespace")
}

// A handler, an elector, a Synced that do not return are named, and Run does.
func TestWhatDoesNotEndIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		release := make(chan struct{})
		defer close(release)
		_, err := s.maps.AddEventHandler(informer.ResourceEventHandlerFuncs[*configMap]{AddFunc: func(*configMap, bool) { <-release }}, informer.HandlerOptions{Name: "mine"})
		require.NoError(t, err)
		s.options.Synced = func(context.Context) error { <-release; return nil }
		s.options.StopTimeout = 3 * time.Second
		s.create("a")
		s.run(s.controller("maps", nothing))
		synctest.Wait()
		began := time.Now()
		err = s.end()
		require.ErrorIs(t, err, controller.ErrStillRunning)
		require.EqualError(t, err, "controller: it has not ended in time: Synced, 3s after being told to stop\n"+
			"controller: it has not ended in time: the informers, 3s after being told to stop: handler mine of configmaps, in a callback for 6s")
		require.Equal(t, 6*time.Second, time.Since(began))
	})
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		stay := staying{make(chan struct{})}
		defer close(stay.release)
		s.options.Leader = stay
		s.run(s.controller("maps", nothing))
		synctest.Wait()
		require.ErrorContains(t, s.end(), "it has not ended in time: the election, which has to give back the leadership, 5s after")
	})
}

// Who leads no longer, and has not stopped in time, is told by the election; the
// error says whose reconciles these are.
func TestAnElectionThatCannotWaitNamesTheReconciles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		release := make(chan struct{})
		c := s.controller("maps", func(context.Context, controller.Request) (controller.Result, error) {
			<-release
			return controller.Result{}, nil
		})
		leaves := leaving{make(chan struct{})}
		s.options.Leader = leaves
		s.create("a")
		s.run(c)
		synctest.Wait()
		close(leaves.now)
		require.EqualError(t, <-s.ended, "controller: the election: others may lead; controller maps is still in the reconcile of default/a")
		close(release)
		synctest.Wait()
	})
}

// leaving is an elector that does not wait for lead.
type leaving struct{ now chan struct{} }

func (leaving) Check() error { return nil }

func (l leaving) Run(ctx context.Context, lead func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { _ = lead(ctx) }()
	<-l.now
	return errors.New("others may lead")
}

type staying struct{ release chan struct{} }

func (staying) Check() error { return nil }

func (s staying) Run(context.Context, func(context.Context) error) error { <-s.release; return nil }

// An informer that waits is told of once after five seconds, with what it waits
// for and what would help, then rarely, and when it is over.
func TestWaitingIsToldRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var allowed atomic.Bool
		s := newScene(t, apitest.Options{Authorize: func(apitest.Attributes) (bool, string) { return allowed.Load(), "" }})
		s.options.Serve = nil
		s.run(s.controller("maps", nothing))
		time.Sleep(4900 * time.Millisecond)
		require.Empty(t, s.log.take())
		time.Sleep(4 * time.Minute)
		line := s.log.take()
		require.Equal(t, 1, strings.Count(line, "\n"), line)
		for _, want := range []string{
			`level=WARN msg="An informer has not synced" informer=configmaps resource=configmaps version=v1 verb=watch reason=forbidden err="`,
			`cannot watch resource`, `help="let the user that err names list and watch configmaps, by a Role or ClusterRole`, ` for=5s`,
		} {
			require.Contains(t, line, want)
		}
		time.Sleep(2 * time.Minute)
		require.Equal(t, 1, strings.Count(s.log.take(), "\n"))
		allowed.Store(true)
		time.Sleep(2 * time.Minute)
		require.Regexp(t, `^level=INFO msg="The informer has synced" informer=configmaps objects=\d+ after=\S+\n$`, s.log.take())
		require.NoError(t, s.end())
	})
}
