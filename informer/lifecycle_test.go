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

// startInformer runs an informer until the test has ended or stop is called.
func startInformer(t *testing.T, inf *SharedInformer[*gadget]) (stop func() error) {
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

// callsWithError returns a call of each method that returns an error.
func callsWithError[T rest.Object](inf *SharedInformer[T]) map[string]func() error {
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

// requireReadable checks that the methods that only read find nothing, and neither
// panic nor wait.
func requireReadable[T rest.Object](t *testing.T, inf *SharedInformer[T]) {
	_, ok := inf.Get("x")
	require.False(t, ok)
	_, ok = inf.Object("x")
	require.False(t, ok)
	for range inf.All() {
		require.Fail(t, "an object is stored")
	}
	for range inf.Keys() {
		require.Fail(t, "an object is stored")
	}
	_, err := inf.Lister().Get("x")
	require.Error(t, err)
	require.False(t, inf.HasSynced())
	require.Empty(t, inf.Version())
	require.False(t, inf.State().Running)
	require.NotEmpty(t, inf.State().Name)
}

// valueSource is a source that is not a pointer.
type valueSource struct{ *scriptedSource }

// Invalid arguments of New are the error of the first call, and never a panic.
func TestInvalidArgumentsOfNew(t *testing.T) {
	requireError := func(want error, inf *SharedInformer[*gadget]) {
		t.Helper()
		requireReadable(t, inf)
		for name, call := range callsWithError(inf) {
			require.ErrorIs(t, call(), want, name)
		}
	}
	requireError(ErrNoSource, New[*gadget](nil, Options[*gadget]{}))
	requireError(ErrNoSource, New[*gadget]((*scriptedSource)(nil), Options[*gadget]{}))
	requireError(ErrNoSource, New[*gadget]((*rest.View[*gadget])(nil), Options[*gadget]{TweakListOptions: func(*metav1.ListOptions) {}}))
	requireError(ErrNoSource, New((*listwatch.ListWatch[*gadget])(nil), Options[*gadget]{}))

	interfaces := New[rest.Object](&listwatch.ListWatch[rest.Object]{}, Options[rest.Object]{})
	requireReadable(t, interfaces)
	for name, call := range callsWithError(interfaces) {
		err := call()
		require.ErrorIs(t, err, ErrNotStruct, name)
		require.ErrorContains(t, err, "rest.Object", name)
	}
	values := New[valueObject](&listwatch.ListWatch[valueObject]{}, Options[valueObject]{})
	requireReadable(t, values)
	for name, call := range callsWithError(values) {
		require.ErrorIs(t, call(), ErrNotStruct, name)
	}
}

// valueObject is a struct with its metadata behind a pointer.
type valueObject struct{ *rest.SlimMeta }

// A source need not be a pointer and need not have a ResourceInfo.
func TestSourceNeedsNoPointerAndNoResourceInfo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](valueSource{newScriptedSource("7", "a@1/u")}, preferList())
		startInformer(t, inf)
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.Equal(t, "*informer.gadget", inf.State().Name)
		_, err := inf.Lister().Get("b")
		require.EqualError(t, err, `gadget "b" not found`)
	})
}

func TestInformerRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](newScriptedSource("7", "a@1/u"), preferList())
		require.False(t, inf.State().Running)
		stop := startInformer(t, inf)
		require.NoError(t, inf.WaitForSync(t.Context()))
		require.True(t, inf.State().Running)
		require.ErrorIs(t, inf.Run(t.Context()), ErrRunning)

		require.NoError(t, stop())
		require.False(t, inf.State().Running)
		for name, call := range callsWithError(inf) {
			if name != "AddIndex" {
				require.ErrorIs(t, call(), ErrStopped, name)
			}
		}
		// The stored objects can still be read, also by index.
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

// With a context that is done, Run returns at once.
func TestRunWithDoneContextReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](newScriptedSource("7"), preferList())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, inf.Run(ctx))
		require.ErrorIs(t, inf.Run(t.Context()), ErrStopped)
		require.ErrorIs(t, inf.WaitForSync(t.Context()), ErrStopped)
	})
}

// A handler may end Run, and may then wait for a version that will not arrive.
func TestHandlerMayEndRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](newScriptedSource("7", "a@1/u", "b@2/v"), preferList())
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
		require.EqualValues(t, 1, calls.Load(), "a callback started after the context was done")
	})
}

// A wait with the context of Run returns the error of the context, whether the wait
// or Run notices the end first.
func TestWaitWithContextOfRun(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			inf := New[*gadget](newScriptedSource("7"), preferList())
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

// A handler may call all methods of its informer.
func TestHandlerMayCallInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](newScriptedSource("7", "a@1/u"), preferList())
		got := make(chan string, 1)
		_, err := inf.AddEventHandler(ResourceEventHandlerFuncs[*gadget]{AddFunc: func(g *gadget, _ bool) {
			require.ErrorIs(t, inf.Run(context.Background()), ErrRunning)
			require.NoError(t, inf.WaitForVersion(context.Background(), "7"))
			stored, ok := inf.Get(g.Name)
			require.True(t, ok)
			require.Same(t, g, stored)
			_, err := inf.AddIndex("i", func(*gadget) []string { return nil })
			require.NoError(t, err)
			_, err = inf.AddEventHandler(textHandler(func(call string) { got <- call }), HandlerOptions{})
			require.NoError(t, err)
			require.Len(t, inf.State().Handlers, 2)
		}}, HandlerOptions{})
		require.NoError(t, err)
		startInformer(t, inf)
		require.Equal(t, "add a@1/u (initial)", <-got)
	})
}

// An invalid result or a panic of a source is reported and retried, as any failure.
func TestInvalidSourceResultsAreRetried(t *testing.T) {
	list := func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
		return rest.ListOf("7", newGadget("a@1/u")), nil
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
		"nil list":     {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) { return nil, nil }},
		"error":        {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) { return nil, io.EOF }},
		"panic":        {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) { panic("no") }},
		"nil objects": {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
			return rest.ListOf[*gadget]("7", nil, nil), nil
		}},
		"no names": {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
			return rest.ListOf("7", &gadget{}), nil
		}},
		"items panic": {ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
			return rest.NewList(func(func(*gadget, error) bool) { panic("no") }, nil), nil
		}},
		"nil watch": {ListFunc: list, WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) { return nil, nil }},
		"watch panics": {ListFunc: list, WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*gadget], error) {
			panic("no")
		}},
		"nil object":               {ListFunc: list, WatchFunc: events(listwatch.Event[*gadget]{Type: watch.Added})},
		"event without a type":     {ListFunc: list, WatchFunc: events(listwatch.Event[*gadget]{Object: newGadget("b@8/v")})},
		"event of an unknown type": {ListFunc: list, WatchFunc: events(listwatch.Event[*gadget]{Type: "UNKNOWN", Object: newGadget("b@8/v")})},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := preferList()
				var reported []error
				o.WatchErrorHandler = func(_ context.Context, err error) { reported = append(reported, err) }
				inf := New(source, o)
				stop := startInformer(t, inf)
				time.Sleep(5 * time.Minute)
				require.NoError(t, stop())
				require.NotEmpty(t, reported)
				require.Error(t, inf.State().Source.Err)
			})
		})
	}
}

// A wait whose context ends returns the last failure of the source.
func TestWaitForSyncReturnsTheLastFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("source failed")
		o := preferList()
		o.Logger = slog.New(slog.DiscardHandler)
		inf := New(&listwatch.ListWatch[*gadget]{ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*gadget], error) {
			return nil, reason
		}}, o)
		startInformer(t, inf)
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

// A wait without a call of Run returns ErrNotRunning after a grace period. A call of
// Run within that period is in time.
func TestWaitWithoutRunReturnsErrNotRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := New[*gadget](newScriptedSource("7"), preferList())
		began := time.Now()
		require.ErrorIs(t, inf.WaitForSync(t.Context()), ErrNotRunning)
		require.ErrorIs(t, inf.WaitForVersion(t.Context(), "7"), ErrNotRunning)
		require.Equal(t, 2*runGracePeriod, time.Since(began))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := inf.WaitForSync(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, ErrNotRunning)

		waited := make(chan error)
		go func() { waited <- inf.WaitForSync(t.Context()) }()
		synctest.Wait()
		startInformer(t, inf)
		require.NoError(t, <-waited)
		require.ErrorIs(t, inf.WaitForVersion(t.Context(), ""), ErrNoVersion)
	})
}
