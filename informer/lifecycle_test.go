package informer

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// started runs an informer until the test has ended, and returns what ends it
// before.
func started(t *testing.T, inf *SharedInformer[*gadget]) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	stop = func() error {
		cancel()
		err := <-ended
		ended <- err
		return err
	}
	t.Cleanup(func() { require.NoError(t, stop()) })
	return stop
}

// everyCall is each method that has an error to return.
func everyCall[T rest.Object](inf *SharedInformer[T]) map[string]func() error {
	return map[string]func() error{
		"Run":            func() error { return inf.Run(context.Background()) },
		"WaitForSync":    func() error { return inf.WaitForSync(context.Background()) },
		"WaitForVersion": func() error { return inf.WaitForVersion(context.Background(), "1") },
		"AddEventHandler": func() error {
			_, err := inf.AddEventHandler(ResourceEventHandlerFuncs[T]{}, HandlerOptions{})
			return err
		},
		"AddIndex": func() error {
			_, err := inf.AddIndex("i", func(T) []string { return nil })
			return err
		},
	}
}

// readable: nothing that only reads panics or waits, whatever is wrong.
func readable[T rest.Object](t *testing.T, inf *SharedInformer[T]) {
	_, ok := inf.Get("x")
	require.False(t, ok)
	_, ok = inf.Object("x")
	require.False(t, ok)
	for range inf.All() {
		require.Fail(t, "nothing is stored")
	}
	for range inf.Keys() {
		require.Fail(t, "nothing is stored")
	}
	_, err := inf.Lister().Get("x")
	require.Error(t, err)
	require.False(t, inf.HasSynced())
	require.Empty(t, inf.Version())
	require.False(t, inf.State().Running)
	require.NotEmpty(t, inf.State().Name)
}

// valueSource is a source that is no pointer.
type valueSource struct{ *stock }

// What is wrong with the arguments of New is the error of the first call, never
// a panic.
func TestWhatIsWrongWithTheArgumentsOfNew(t *testing.T) {
	broken := func(want error, inf *SharedInformer[*gadget]) {
		t.Helper()
		readable(t, inf)
		for name, call := range everyCall(inf) {
			require.ErrorIs(t, call(), want, name)
		}
	}
	broken(ErrNoSource, New[*gadget](nil, Options[*gadget]{}))
	broken(ErrNoSource, New[*gadget]((*stock)(nil), Options[*gadget]{}))
	broken(ErrNoSource, New[*gadget]((*rest.View[*gadget])(nil), Options[*gadget]{Tweak: func(*metav1.ListOptions) {}}))
	broken(ErrNoSource, New((*listwatch.ListWatch[*gadget])(nil), Options[*gadget]{}))

	anything := New[rest.Object](&listwatch.ListWatch[rest.Object]{}, Options[rest.Object]{})
	readable(t, anything)
	for name, call := range everyCall(anything) {
		err := call()
		require.ErrorIs(t, err, ErrNotStruct, name)
		require.ErrorContains(t, err, "rest.Object", name)
	}
	values := New[valueObject](&listwatch.ListWatch[valueObject]{}, Options[valueObject]{})
	readable(t, values)
	for name, call := range everyCall(values) {
		require.ErrorIs(t, call(), ErrNotStruct, name)
	}
}

// valueObject has its metadata behind a pointer, and is no pointer itself.
type valueObject struct{ *rest.SlimMeta }

// A source need not be a pointer, nor say what it serves.
func TestASourceOfAnyKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](valueSource{aStock("7", "a@1/u")}, listed())
		started(t, inf)
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.Equal(t, "*informer.gadget", inf.State().Name)
		_, err := inf.Lister().Get("b")
		require.EqualError(t, err, `gadget "b" not found`)
	})
}

func TestAnInformerRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](aStock("7", "a@1/u"), listed())
		require.False(t, inf.State().Running)
		stop := started(t, inf)
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.True(t, inf.State().Running)
		require.ErrorIs(t, inf.Run(t.Context()), ErrRunning)

		require.NoError(t, stop())
		require.False(t, inf.State().Running)
		for name, call := range everyCall(inf) {
			if name != "AddIndex" {
				require.ErrorIs(t, call(), ErrStopped, name)
			}
		}
		// What was stored can still be read, also by index.
		a, ok := inf.Get("a")
		require.True(t, ok)
		byName, err := inf.AddIndex("name", func(g *gadget) []string { return []string{g.Name} })
		require.NoError(t, err)
		for g := range byName.Find("a") {
			require.Same(t, a, g)
		}
		require.True(t, inf.HasSynced())
		require.Equal(t, "7", inf.Version())
	})
}

// A context that is done before Run makes a run that ends at once.
func TestRunWithAContextThatIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](aStock("7"), listed())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, inf.Run(ctx))
		require.ErrorIs(t, inf.Run(t.Context()), ErrStopped)
		require.ErrorIs(t, inf.WaitForSync(t.Context()), ErrStopped)
	})
}

// Run may be ended from anywhere, a handler included, which may even wait for
// what will not come any more.
func TestAHandlerEndsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](aStock("7", "a@1/u", "b@2/v"), listed())
		ctx, cancel := context.WithCancel(t.Context())
		var calls atomic.Int32
		var waited error
		_, err := inf.AddEventHandler(ResourceEventHandlerFuncs[*gadget]{AddFunc: func(*gadget, bool) {
			calls.Add(1)
			cancel()
			waited = inf.WaitForVersion(context.Background(), "99")
		}}, HandlerOptions{})
		require.NoError(t, err)
		require.NoError(t, inf.Run(ctx))
		require.ErrorIs(t, waited, ErrStopped)
		require.EqualValues(t, 1, calls.Load(), "no callback starts after the end has begun")
	})
}

// Who waits with the context of Run finds that it has ended, whichever of the
// two is noticed first.
func TestAWaitWithTheContextOfRun(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			inf := New[*gadget](aStock("7"), listed())
			ctx, cancel := context.WithCancel(t.Context())
			waited := make(chan error, 1)
			go func() { waited <- inf.WaitForVersion(ctx, "99") }()
			ended := make(chan error, 1)
			go func() { ended <- inf.Run(ctx) }()
			synctest.Wait()
			cancel()
			require.ErrorIs(t, <-waited, context.Canceled)
			require.NoError(t, <-ended)
			err := inf.WaitForSync(ctx)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, ErrStopped)
		})
	}
}

// A handler may call everything of its informer.
func TestAHandlerUsesItsInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](aStock("7", "a@1/u"), listed())
		got := make(chan string, 1)
		_, err := inf.AddEventHandler(ResourceEventHandlerFuncs[*gadget]{AddFunc: func(g *gadget, _ bool) {
			require.ErrorIs(t, inf.Run(context.Background()), ErrRunning)
			require.NoError(t, inf.WaitForVersion(context.Background(), "7"))
			stored, ok := inf.Get(g.Name)
			require.True(t, ok)
			require.Same(t, g, stored)
			_, err := inf.AddIndex("i", func(*gadget) []string { return nil })
			require.NoError(t, err)
			_, err = inf.AddEventHandler(shown(func(call string) { got <- call }), HandlerOptions{})
			require.NoError(t, err)
			require.Len(t, inf.State().Handlers, 2)
		}}, HandlerOptions{})
		require.NoError(t, err)
		started(t, inf)
		require.Equal(t, "add a@1/u (initial)", <-got)
	})
}

// A source that returns garbage, or panics, is a failure like any other: it is
// reported, and tried again.
func TestASourceThatReturnsGarbage(t *testing.T) {
	list := func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
		return rest.ListOf("7", aGadget("a@1/u")), nil
	}
	events := func(all ...listwatch.Event[*gadget]) func(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) {
		return func(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) {
			return rest.NewWatch(func(ctx context.Context) (event listwatch.Event[*gadget], err error) {
				if len(all) == 0 {
					return event, io.ErrUnexpectedEOF
				}
				event, all = all[0], all[1:]
				return event, nil
			}, nil), nil
		}
	}
	for name, source := range map[string]*listwatch.ListWatch[*gadget]{
		"no functions": {},
		"nothing":      {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) { return nil, nil }},
		"an error":     {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) { return nil, io.EOF }},
		"a panic":      {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) { panic("no") }},
		"nil objects": {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
			return rest.ListOf[*gadget]("7", nil, nil), nil
		}},
		"no names": {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
			return rest.ListOf("7", &gadget{}), nil
		}},
		"a list that panics": {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
			return rest.NewList(func(func(*gadget, error) bool) { panic("no") }, nil), nil
		}},
		"no watch": {ListFunc: list, WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) { return nil, nil }},
		"a watch that panics": {ListFunc: list, WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) {
			panic("no")
		}},
		"a nil object":             {ListFunc: list, WatchFunc: events(listwatch.Event[*gadget]{Type: watch.Added})},
		"an event without a type":  {ListFunc: list, WatchFunc: events(listwatch.Event[*gadget]{Object: aGadget("b@8/v")})},
		"an event of no known one": {ListFunc: list, WatchFunc: events(listwatch.Event[*gadget]{Type: "SOLD", Object: aGadget("b@8/v")})},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := listed()
				var heard []error
				o.WatchErrorHandler = func(_ context.Context, err error) { heard = append(heard, err) }
				inf := New(source, o)
				stop := started(t, inf)
				time.Sleep(5 * time.Minute)
				require.NoError(t, stop())
				require.NotEmpty(t, heard)
				require.Error(t, inf.State().Source.Err)
			})
		})
	}
}

// "Sync failure has a reason": who waits in vain is told why.
func TestWaitForSyncSaysWhyNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("the cluster is on holiday")
		o := listed()
		o.Logger = slog.New(slog.DiscardHandler)
		inf := New(&listwatch.ListWatch[*gadget]{ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
			return nil, reason
		}}, o)
		started(t, inf)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := inf.WaitForSync(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, reason)
		err = inf.WaitForVersion(ctx, "7")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, reason)
	})
}

// "An informer that is not running is an error, not a wait"; but one that is
// about to be run is waited for.
func TestWaitingForWhatDoesNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](aStock("7"), listed())
		began := time.Now()
		require.ErrorIs(t, inf.WaitForSync(t.Context()), ErrNotRunning)
		require.ErrorIs(t, inf.WaitForVersion(t.Context(), "7"), ErrNotRunning)
		require.Equal(t, 2*toBeRun, time.Since(began))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := inf.WaitForSync(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, ErrNotRunning)

		waited := make(chan error)
		go func() { waited <- inf.WaitForSync(t.Context()) }()
		synctest.Wait()
		started(t, inf)
		require.NoError(t, <-waited)
		require.ErrorIs(t, inf.WaitForVersion(t.Context(), ""), ErrNoVersion)
	})
}
