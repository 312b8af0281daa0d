package controller_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// start runs a Program with these controllers.
func (p *testProgram) start(controllers ...*controller.Controller) *controller.Program {
	program := controller.NewProgram(p.options, controllers...)
	ctx, cancel := context.WithCancel(p.t.Context())
	p.stop = cancel
	go func() { p.ended <- program.Run(ctx) }()
	synctest.Wait()
	return program
}

// controllerOf returns a controller of a kind that records its reconciles, and its
// informer, which is requested from the factory.
func (p *testProgram) controllerOf(k testKind, reconcile controller.Func) (*controller.Controller, *informer.SharedInformer[*thing]) {
	things := informer.For(p.factory, rest.NewView[*thing](p.client, k.info()), informer.Options[*thing]{})
	c := controller.New(k.plural, reconcile, controller.Options{Logger: quiet})
	controller.For(c, things)
	return c, things
}

// A controller that is added while the program runs reconciles the objects of its
// informer, which runs at once. It and its informer appear in /healthz, in /readyz and
// on the debug page until they are removed and released. The other controllers are not
// affected.
func TestAddAndRemoveWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.create("a")
		first := s.newController("maps", doNothing)
		program := s.start(first)
		before := goroutinesBesideConnections()

		k := numberedKind(1)
		k.define(t, s.srv)
		k.create(t, s.srv, "one")
		reconciled := new(recorder)
		c, things := s.controllerOf(k, func(_ context.Context, req controller.Request) (controller.Result, error) {
			reconciled.add(req.String())
			return controller.Result{}, nil
		})
		require.NoError(t, program.Add(c))
		synctest.Wait()
		k.create(t, s.srv, "two")
		synctest.Wait()
		require.Equal(t, []string{"default/one", "default/two"}, reconciled.all())
		_, body := s.get("/healthz?verbose")
		require.Equal(t, "[+]ping ok\n[+]controller/maps ok\n[+]controller/things1 ok\nhealthz check passed\n", body)
		_, body = s.get("/readyz?verbose")
		require.Equal(t, "[+]program ok\n[+]informer/configmaps ok\n[+]informer/things1.g1.example.com ok\nreadyz check passed\n", body)
		_, page := s.get("/debug/?format=text")
		require.Contains(t, page, "things1")

		require.NoError(t, program.Remove(t.Context(), c))
		things.Release()
		synctest.Wait()
		require.False(t, c.State().Running)
		require.True(t, first.State().Running)
		require.Equal(t, 1, s.srv.OpenWatches())
		_, body = s.get("/healthz?verbose")
		require.Equal(t, "[+]ping ok\n[+]controller/maps ok\nhealthz check passed\n", body)
		_, body = s.get("/readyz?verbose")
		require.Equal(t, "[+]program ok\n[+]informer/configmaps ok\nreadyz check passed\n", body)
		_, page = s.get("/debug/?format=text")
		require.NotContains(t, page, "things1")
		synctest.Wait()
		require.Equal(t, before, goroutinesBesideConnections(), "goroutines of the removed controller are left")
		require.NoError(t, s.stopAndWait())
	})
}

// Add returns the mistakes that Run reports before it starts anything, and then adds
// nothing.
func TestAddRejectsMistakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		first := s.newController("maps", doNothing)
		good := s.newController("good", doNothing)
		program := s.start(first)
		invalid := controller.New("invalid", controller.Func(doNothing), controller.Options{})
		controller.For(invalid, informer.New[*configMap](nil, informer.Options[*configMap]{}))
		alone := s.newController("alone", doNothing)
		aloneCtx, stopAlone := context.WithCancel(t.Context())
		aloneEnded := make(chan error)
		go func() { aloneEnded <- alone.Run(aloneCtx) }()
		released, things := s.controllerOf(numberedKind(1), doNothing)
		things.Release()
		synctest.Wait()
		for _, c := range []struct {
			name  string
			added []*controller.Controller
			want  error
			text  string
		}{
			{"nil", []*controller.Controller{good, nil}, controller.ErrNoController, "number 2 of 2"},
			{"a name in use", []*controller.Controller{good, s.newController("maps", doNothing)}, controller.ErrDuplicateName, "use a different name"},
			{"the same twice", []*controller.Controller{good, good}, controller.ErrDuplicateName, `"good" is given twice`},
			{"added already", []*controller.Controller{good, first}, controller.ErrDuplicateName, `"maps" has been added already`},
			{"without a name", []*controller.Controller{good, controller.New("", controller.Func(doNothing), controller.Options{})}, controller.ErrNoName, ""},
			{"without a source", []*controller.Controller{good, controller.New("empty", controller.Func(doNothing), controller.Options{})}, controller.ErrNothingWatched, "empty"},
			{"an informer that cannot run", []*controller.Controller{good, invalid}, informer.ErrNoSource, ""},
			{"run by its owner", []*controller.Controller{good, alone}, controller.ErrRunning, "alone: another Program, or its Run, runs it"},
			{"an informer that was released", []*controller.Controller{good, released}, informer.ErrStopped, "add controller things1: informer things1.g1.example.com: informer: stopped, and it cannot run again"},
		} {
			err := program.Add(c.added...)
			require.ErrorIs(t, err, c.want, c.name)
			require.ErrorContains(t, err, c.text, c.name)
		}
		synctest.Wait()
		require.False(t, good.State().Running, "part of a rejected Add was added")
		require.NoError(t, program.Add())
		require.NoError(t, program.Add(good))
		stopAlone()
		require.NoError(t, <-aloneEnded)
		require.NoError(t, s.stopAndWait())
	})
}

// Controllers can be added and removed before Run. After the program was asked to stop,
// Add returns an error, and Remove works. A Program runs once.
func TestAddAndRemoveBeforeAndAfterRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.options.StopDelay = time.Minute
		program := controller.NewProgram(s.options)
		first, second := s.newController("first", doNothing), s.newController("second", doNothing)
		require.NoError(t, program.Add(first, second))
		require.ErrorIs(t, program.Add(second), controller.ErrDuplicateName)
		require.NoError(t, program.Remove(t.Context(), second))
		require.NoError(t, program.Remove(t.Context(), second), "removed twice")
		ctx, stop := context.WithCancel(t.Context())
		go func() { s.ended <- program.Run(ctx) }()
		synctest.Wait()
		require.ErrorIs(t, program.Run(t.Context()), controller.ErrRunning)
		require.True(t, first.State().Running)
		require.False(t, second.State().Running)
		stop()
		synctest.Wait()
		require.ErrorIs(t, program.Add(second), informer.ErrStopped, "in StopDelay")
		require.NoError(t, program.Remove(t.Context(), first))
		require.False(t, first.State().Running)
		require.NoError(t, <-s.ended)
		require.ErrorIs(t, program.Add(second), informer.ErrStopped)
		require.NoError(t, program.Remove(t.Context(), first, second))
		require.ErrorIs(t, program.Run(t.Context()), controller.ErrRunning)
	})
}

// A Program may begin without controllers and informers. NewProgram reports nothing, and
// Run the mistakes in its arguments; they can be corrected.
func TestProgramWithoutControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var none context.Context
		program := controller.NewProgram(controller.RunOptions{NoSignals: true, Logger: quiet}, nil)
		require.ErrorIs(t, program.Run(none), controller.ErrNoContext)
		require.ErrorIs(t, program.Run(t.Context()), controller.ErrNoController)
		require.ErrorIs(t, program.Remove(none), controller.ErrNoContext)
		require.ErrorIs(t, program.Remove(t.Context(), nil), controller.ErrNoController)

		program = controller.NewProgram(controller.RunOptions{NoSignals: true, Logger: quiet})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- program.Run(ctx) }()
		synctest.Wait()
		requests := make(chan controller.Request)
		reconciled := new(recorder)
		c := controller.New("channel", controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
			reconciled.add(req.Name)
			return controller.Result{}, nil
		}), controller.Options{Logger: quiet})
		controller.Channel(c, requests)
		require.NoError(t, program.Add(c))
		requests <- controller.Request{Name: "a"}
		synctest.Wait()
		require.Equal(t, []string{"a"}, reconciled.all())
		stop()
		require.NoError(t, <-ended)
	})
}

// A reconcile may add a controller, and remove a controller: another one, for which it
// waits, and its own, for which it does not wait.
func TestReconcileAddsAndRemoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.create("a")
		var program *controller.Program
		var errs []error
		var took time.Duration
		events := new(recorder)
		other := s.newController("other", func(context.Context, controller.Request) (controller.Result, error) {
			events.add("other reconciles")
			return controller.Result{}, nil
		})
		var own *controller.Controller
		own = s.newController("own", func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			begin := time.Now()
			errs = append(errs, program.Add(other))
			time.Sleep(time.Second)
			errs = append(errs, program.Remove(ctx, other))
			events.add("other removed")
			errs = append(errs, program.Remove(ctx, own))
			took = time.Since(begin)
			return controller.Result{}, nil
		})
		program = s.start()
		require.NoError(t, program.Add(own))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.NoError(t, errors.Join(errs...))
		require.Len(t, errs, 3)
		require.Equal(t, time.Second, took)
		require.Equal(t, []string{"other reconciles", "other removed"}, events.all())
		require.False(t, own.State().Running)
		require.NoError(t, program.Add(own), "it has ended and can be added again")
		time.Sleep(2 * time.Second)
		require.NoError(t, s.stopAndWait())
	})
}

// Remove waits for reconciles in progress, at most until ctx is done or the time limits
// of the controller have passed. A controller whose reconcile has not returned stays on
// the page, blocks its name, and does not end the program.
func TestRemoveOfHangingController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.create("a")
		release := make(chan struct{})
		reconciles := 0
		c := s.newController("hangs", func(context.Context, controller.Request) (controller.Result, error) {
			if reconciles++; reconciles == 1 {
				<-release
			}
			return controller.Result{}, nil
		})
		program := s.start(c)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		err := program.Remove(ctx, c)
		require.ErrorIs(t, err, controller.ErrStillRunning)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "controller hangs, which was removed")
		require.Equal(t, time.Second, time.Since(begin))

		var late *controller.StopError
		require.ErrorAs(t, program.Remove(t.Context(), c), &late, "a second Remove waits as well")
		require.Equal(t, []controller.Request{{Namespace: "default", Name: "a"}}, late.Requests)
		require.Equal(t, 25*time.Second, time.Since(begin), "StopTimeout and CancelTimeout")
		require.ErrorIs(t, program.Add(c), controller.ErrStillRunning)
		require.ErrorIs(t, program.Add(s.newController("hangs", doNothing)), controller.ErrStillRunning)
		_, page := s.get("/debug/?format=text")
		require.Contains(t, page, "hangs")
		synctest.Wait() // the line is written when Remove has returned
		require.Contains(t, s.log.take(), "A removed controller ended with an error")
		code, _ := s.get("/healthz")
		require.Equal(t, 200, code)

		close(release)
		synctest.Wait()
		require.NoError(t, program.Remove(t.Context(), c))
		_, page = s.get("/debug/?format=text")
		require.NotContains(t, page, "hangs")
		require.NoError(t, program.Add(c))
		synctest.Wait()
		require.Equal(t, 2, reconciles)
		require.NoError(t, s.stopAndWait())
	})
}

// Controllers that are added on standby run when the replica leads, and again in the
// next term; those that are removed on standby do not. The leadership is not released
// while a removed controller has a reconcile that has not returned.
func TestAddAndRemoveWithElection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.create("a")
		e := newFakeElector(func(string) {})
		s.options.Leader = e
		counter := func(name string) (*controller.Controller, *atomic.Int64) {
			n := new(atomic.Int64)
			return s.newController(name, func(context.Context, controller.Request) (controller.Result, error) {
				n.Add(1)
				return controller.Result{}, nil
			}), n
		}
		early, earlyCount := counter("early")
		program := s.start()
		require.NoError(t, program.Add(early))
		removed, removedCount := counter("removed")
		require.NoError(t, program.Add(removed))
		require.NoError(t, program.Remove(t.Context(), removed))
		synctest.Wait()
		require.False(t, early.State().Running)

		e.lead <- struct{}{}
		synctest.Wait()
		require.EqualValues(t, 1, earlyCount.Load())
		late, lateCount := counter("late")
		require.NoError(t, program.Add(late))
		synctest.Wait()
		require.EqualValues(t, 1, lateCount.Load())

		e.lose <- struct{}{}
		time.Sleep(time.Second)
		require.False(t, late.State().Running)
		require.NoError(t, program.Remove(t.Context(), early))
		e.lead <- struct{}{}
		synctest.Wait()
		require.EqualValues(t, 1, earlyCount.Load())
		require.EqualValues(t, 2, lateCount.Load())
		require.Zero(t, removedCount.Load())

		release := make(chan struct{})
		hangs := s.newController("hangs", func(context.Context, controller.Request) (controller.Result, error) {
			<-release
			return controller.Result{}, nil
		})
		require.NoError(t, program.Add(hangs))
		synctest.Wait()
		require.ErrorIs(t, program.Remove(t.Context(), hangs), controller.ErrStillRunning)
		require.ErrorIs(t, s.stopAndWait(), controller.ErrStillRunning)
		require.ErrorIs(t, e.leadErr, controller.ErrStillRunning, "the elector would release the leadership")
		close(release)
	})
}

// The error of a controller that was added ends the program, as that of any other.
func TestFailureOfAddedControllerEndsTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		program := s.start(s.newController("maps", doNothing))
		time.Sleep(time.Minute)
		things := informer.New(rest.NewView[*thing](s.client, numberedKind(1).info()), informer.Options[*thing]{Logger: quiet})
		ctx, end := context.WithCancel(t.Context())
		informerEnded := make(chan error, 1)
		go func() { informerEnded <- things.Run(ctx) }()
		c := controller.New("things", controller.Func(doNothing), controller.Options{Logger: quiet})
		controller.For(c, things)
		require.NoError(t, program.Add(c), "Run was called before Add, and may not have begun")
		end()
		require.NoError(t, <-informerEnded)
		err := <-s.ended
		require.ErrorIs(t, err, informer.ErrStopped)
		require.ErrorContains(t, err, "controller things")
	})
}

// While the program runs, Add rejects a controller with an informer that nothing runs, and
// says which and what to do. The program continues.
func TestAddRejectsInformersThatDoNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		numberedKind(1).define(t, s.srv)
		source := rest.NewView[*thing](s.client, numberedKind(1).info())
		other := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
		own := informer.New(source, informer.Options[*thing]{Logger: quiet})
		s.options.Informers = []controller.Informer{own}
		program := s.start()
		add := func(name string, things *informer.SharedInformer[*thing]) error {
			c := controller.New(name, controller.Func(doNothing), controller.Options{Logger: quiet})
			controller.For(c, things)
			return program.Add(c)
		}
		of := func(f *informer.Factory) *informer.SharedInformer[*thing] {
			return informer.For(f, source, informer.Options[*thing]{})
		}
		begun := time.Now()
		err := add("idle", of(other))
		require.ErrorIs(t, err, informer.ErrNotRunning)
		require.EqualError(t, err, "controller: add controller idle: informer things1.g1.example.com: informer: not running: request it from RunOptions.Factory, start its factory, or call its Run before Add")
		require.Equal(t, time.Second, time.Since(begun))
		require.ErrorIs(t, add("new", informer.New(source, informer.Options[*thing]{})), informer.ErrNotRunning)

		time.AfterFunc(500*time.Millisecond, func() { require.NoError(t, other.Start(t.Context())) })
		require.NoError(t, add("started meanwhile", of(other)))
		require.NoError(t, add("started", of(other)))
		require.NoError(t, add("of the program's factory", of(s.factory)))
		require.NoError(t, add("of the program", own))
		time.Sleep(time.Minute)
		require.NoError(t, s.stopAndWait())
		require.NoError(t, other.Shutdown())
	})
}

// The program does not wait for informers that are released before they have synced. It
// waits for those that are added before the others have synced. A controller that is
// added later logs itself what it waits for.
func TestSyncWithAddedAndRemovedInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		synced := make(chan struct{})
		s.options.Synced = func(context.Context) error { close(synced); return nil }
		isSynced := func() bool {
			synctest.Wait()
			select {
			case <-synced:
				return true
			default:
				return false
			}
		}
		missing, missingThings := s.controllerOf(numberedKind(1), doNothing)
		other, otherThings := s.controllerOf(numberedKind(2), doNothing)
		program := s.start(missing)
		time.Sleep(10 * time.Second)
		require.NoError(t, program.Add(other))
		require.NoError(t, program.Remove(t.Context(), missing))
		missingThings.Release()
		time.Sleep(10 * time.Second)
		require.False(t, isSynced(), "an informer that was added is missing")
		require.Contains(t, s.log.take(), "things2.g2.example.com")
		require.NoError(t, program.Remove(t.Context(), other))
		otherThings.Release()
		time.Sleep(2 * time.Second)
		require.True(t, isSynced(), "an informer that was released is waited for")

		s.log.take()
		logged := new(logBuffer)
		late := informer.For(s.factory, rest.NewView[*thing](s.client, numberedKind(3).info()), informer.Options[*thing]{})
		c := controller.New("late", controller.Func(doNothing), controller.Options{Logger: slog.New(slog.NewTextHandler(logged, nil))})
		controller.For(c, late)
		require.NoError(t, program.Add(c))
		time.Sleep(time.Minute)
		require.Contains(t, logged.take(), "Waiting for the first list of an informer")
		require.NoError(t, s.stopAndWait())
	})
}

// After 1,000 definitions were added and removed together with their informers and
// controllers, nothing is left running, and the program has no entry for them.
func TestThousandKindsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		program := s.start(s.newController("maps", doNothing))
		var reconciles atomic.Int64
		round := func(first, n int) {
			var controllers []*controller.Controller
			var informers []*informer.SharedInformer[*thing]
			for i := range n {
				k := numberedKind(first + i)
				k.define(t, s.srv)
				k.create(t, s.srv, "one")
				c, things := s.controllerOf(k, func(context.Context, controller.Request) (controller.Result, error) {
					reconciles.Add(1)
					return controller.Result{}, nil
				})
				require.NoError(t, program.Add(c))
				controllers, informers = append(controllers, c), append(informers, things)
			}
			synctest.Wait()
			for i := range n {
				numberedKind(first+i).deleteDefinition(t, s.client)
			}
			require.NoError(t, program.Remove(t.Context(), controllers...))
			for _, things := range informers {
				things.Release()
			}
			synctest.Wait()
		}
		round(0, 20) // includes what client and server create once
		before := goroutinesBesideConnections()
		for i := range 50 {
			round(20+20*i, 20)
			s.srv.ForgetRequests()
		}
		require.GreaterOrEqual(t, reconciles.Load(), int64(1020))
		require.Equal(t, before, goroutinesBesideConnections())
		require.Equal(t, 1, s.srv.OpenWatches())
		require.Len(t, s.factory.Informers(), 1)
		_, body := s.get("/healthz?verbose")
		require.Equal(t, "[+]ping ok\n[+]controller/maps ok\nhealthz check passed\n", body)
		require.NoError(t, s.stopAndWait())
	})
}

// goroutinesOfBubbles returns the number of goroutines in bubbles. runtime.NumGoroutine
// also counts a goroutine of the runtime while it runs a finalizer or a cleanup.
func goroutinesOfBubbles() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), ", synctest bubble ")
}

// goroutinesBesideConnections is goroutinesOfBubbles without those of connections, which
// stay open for a while when they are idle.
func goroutinesBesideConnections() (n int) {
	stacks := make([]byte, 1<<20)
	for _, stack := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, ", synctest bubble ") && !strings.Contains(stack, "net/http.(*") {
			n++
		}
	}
	return n
}
