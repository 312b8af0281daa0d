package controller_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// hangUntil returns a reconcile that ignores its ctx and returns when release is closed.
func hangUntil(release <-chan struct{}) controller.Func {
	return func(context.Context, controller.Request) (controller.Result, error) {
		<-release
		return controller.Result{}, nil
	}
}

// requireRunning fails if the program has ended.
func (p *testProgram) requireRunning() {
	p.t.Helper()
	synctest.Wait()
	select {
	case err := <-p.ended:
		p.t.Fatal("the program has ended: ", err)
	default:
	}
}

// A controller whose watches were removed does nothing. It does not prevent Add, and
// does not end the program in the next term. A watch that is added later works.
func TestControllerWithoutWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.create("a")
		e := newFakeElector(func(string) {})
		s.options.Leader = e
		reconciled := new(recorder)
		record := func(_ context.Context, req controller.Request) (controller.Result, error) {
			reconciled.add(req.Name)
			return controller.Result{}, nil
		}
		empty := controller.New("empty", controller.Func(record), controller.Options{Logger: quiet})
		first := controller.For(empty, s.maps)
		owner := controller.New("owner", controller.Func(doNothing), controller.Options{Logger: quiet})
		owners := controller.For(owner, s.maps)
		controller.Owns(owner, s.maps)
		early := controller.New("early", controller.Func(doNothing), controller.Options{Logger: quiet})
		beforeTerm := controller.For(early, s.maps)
		program := s.start(empty, owner, early)
		beforeTerm.Remove()
		e.lead <- struct{}{}
		synctest.Wait()
		require.Equal(t, []string{"a"}, reconciled.all())
		require.True(t, early.State().Running)

		first.Remove()
		owners.Remove()
		controller.Channel(owner, make(chan controller.Request))
		require.NoError(t, program.Add(s.newController("added", doNothing)))
		for range 2 {
			e.lose <- struct{}{}
			time.Sleep(time.Second)
			e.lead <- struct{}{}
			time.Sleep(time.Minute)
			s.requireRunning()
			require.True(t, empty.State().Running)
			require.True(t, empty.State().Synced)
		}
		controller.For(empty, s.maps)
		synctest.Wait()
		require.Equal(t, []string{"a", "a"}, reconciled.all())
		require.NoError(t, s.stopAndWait())
	})
}

// Owns during Run needs a For, also if there was one before.
func TestOwnsDuringRunNeedsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		c := controller.New("maps", controller.Func(doNothing), controller.Options{Logger: quiet})
		watch := controller.For(c, s.maps)
		s.start(c)
		watch.Remove()
		synctest.Wait()
		controller.Owns(c, s.maps)
		synctest.Wait()
		require.False(t, c.State().Running)
		require.ErrorIs(t, s.stopAndWait(), controller.ErrNoOwner)
	})
}

// A removed controller whose reconcile has not returned makes Run return an error that
// names both: when the leadership is lost, since the leadership cannot be released, and
// when the program is stopped. If the reconcile returns before, Run returns nil.
func TestRunReportsRemovedControllerThatStillRuns(t *testing.T) {
	for name, end := range map[string]func(s *testProgram, e *fakeElector, release func()) error{
		"lost leadership": func(s *testProgram, e *fakeElector, _ func()) error {
			e.lose <- struct{}{}
			err := <-s.ended
			require.ErrorIs(s.t, e.leadErr, controller.ErrStillRunning)
			return err
		},
		"stop": func(s *testProgram, _ *fakeElector, _ func()) error { return s.stopAndWait() },
		"returned": func(s *testProgram, _ *fakeElector, release func()) error {
			release()
			synctest.Wait()
			return s.stopAndWait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestProgram(t, apitest.Options{})
				s.create("a")
				e := newFakeElector(func(string) {})
				s.options.Leader = e
				release := make(chan struct{})
				hangs := s.newController("hangs", hangUntil(release))
				program := s.start(s.newController("maps", doNothing), hangs)
				e.lead <- struct{}{}
				synctest.Wait()
				require.ErrorIs(t, program.Remove(t.Context(), hangs), controller.ErrStillRunning)
				time.Sleep(time.Hour)
				s.requireRunning()
				err := end(s, e, func() { close(release) })
				if name == "returned" {
					require.NoError(t, err)
					return
				}
				close(release)
				var late *controller.StopError
				require.ErrorAs(t, err, &late)
				require.Equal(t, "hangs", late.Controller)
				require.Equal(t, []controller.Request{{Namespace: "default", Name: "a"}}, late.Requests)
			})
		})
	}
}

// The informers of a controller can be released when Remove has returned, also with an
// error, and also before the program has synced. They make neither /readyz nor the
// program fail.
func TestReleaseAfterRemoveOfHangingController(t *testing.T) {
	for name, synced := range map[string]bool{"synced": true, "not synced": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestProgram(t, apitest.Options{})
				s.create("a")
				release := make(chan struct{})
				hangs := s.newController("hangs", hangUntil(release))
				all := []*controller.Controller{hangs}
				if !synced {
					missing, _ := s.controllerOf(numberedKind(1), doNothing)
					all = append(all, missing)
				}
				program := s.start(all...)
				things := informer.For(s.factory, rest.NewView[*thing](s.client, numberedKind(2).info()), informer.Options[*thing]{})
				controller.Watches(hangs, things, func(*thing) []controller.Request { return nil })
				time.Sleep(10 * time.Second)
				require.ErrorIs(t, program.Remove(t.Context(), hangs), controller.ErrStillRunning)
				things.Release()
				time.Sleep(time.Minute)
				s.requireRunning()
				_, body := s.get("/readyz?verbose")
				require.NotContains(t, body, "things2")
				require.Equal(t, synced, body == "[+]program ok\n[+]informer/configmaps ok\nreadyz check passed\n", body)
				_, page := s.get("/debug/?format=text")
				require.Contains(t, page, "hangs")
				close(release)
				synctest.Wait()
				require.NoError(t, s.stopAndWait())
			})
		})
	}
}

// A controller that is added does not make a ready program unready: /readyz names its
// informer until it has synced. A controller that is added before the others have synced
// does.
func TestReadinessWithAddedKindThatIsNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		early, _ := s.controllerOf(numberedKind(1), doNothing)
		late, lateThings := s.controllerOf(numberedKind(2), doNothing)
		program := s.start(early)
		code, body := s.get("/readyz")
		require.Equal(t, http.StatusServiceUnavailable, code)
		require.Contains(t, body, "[-]informer/things1.g1.example.com failed")
		require.Contains(t, body, "[-]informer/things2.g2.example.com failed", "the factory runs it")
		for i := range 2 {
			numberedKind(i+1).define(t, s.srv)
		}
		time.Sleep(10 * time.Second)
		code, body = s.get("/readyz")
		require.Equal(t, http.StatusOK, code, body)
		require.NoError(t, program.Add(late))
		require.True(t, lateThings.HasSynced())

		added, things := s.controllerOf(numberedKind(3), doNothing)
		require.NoError(t, program.Add(added))
		time.Sleep(time.Minute)
		code, body = s.get("/readyz?verbose")
		require.Equal(t, http.StatusOK, code)
		require.Contains(t, body, "[+]informer/things3.g3.example.com ok: added, and not synced: watch things3.g3.example.com: ")
		require.Contains(t, body, "apply its CustomResourceDefinition")
		numberedKind(3).define(t, s.srv)
		time.Sleep(10 * time.Second)
		require.True(t, things.HasSynced())
		_, body = s.get("/readyz?verbose")
		require.Contains(t, body, "[+]informer/things3.g3.example.com ok\n")
		require.NoError(t, s.stopAndWait())
	})
}

// Reconciles of two controllers that remove each other wait for each other until
// StopTimeout ends their ctx. Both controllers end, and the program continues.
func TestControllersThatRemoveEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.create("a")
		var program *controller.Program
		var controllers [2]*controller.Controller
		var errs [2]error
		for i, name := range []string{"one", "two"} {
			controllers[i] = s.newController(name, func(ctx context.Context, _ controller.Request) (controller.Result, error) {
				time.Sleep(time.Second)
				errs[i] = program.Remove(ctx, controllers[1-i])
				return controller.Result{}, nil
			})
		}
		program = s.start()
		require.NoError(t, program.Add(controllers[:]...))
		begin := time.Now()
		time.Sleep(2 * time.Second)
		require.NoError(t, program.Remove(t.Context(), controllers[:]...))
		require.Equal(t, 21*time.Second, time.Since(begin), "StopTimeout")
		require.ErrorIs(t, errors.Join(errs[:]...), controller.ErrStillRunning)
		s.requireRunning()
		require.NoError(t, s.stopAndWait())
	})
}
