package informer

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/reflector"
)

// newConfig returns a Config without a process function, and its store.
func newConfig(source *scriptedSource) (Config[*gadget], *indexer.Indexer[*gadget]) {
	store := indexer.New(indexer.Options[*gadget]{})
	return Config[*gadget]{
		Queue:         deltafifo.New(deltafifo.Options[*gadget]{MetaFunc: metaOf[*gadget], KnownObjects: store}),
		ListerWatcher: source,
		Reflector:     reflector.Options[*gadget]{Name: "gadgets", PreferList: true},
	}, store
}

func applyTo(store *indexer.Indexer[*gadget], deltas []deltafifo.Delta[*gadget], version string) error {
	var changes []indexer.Change[*gadget]
	for _, d := range deltas {
		changes = append(changes, indexer.Change[*gadget]{Key: d.Key, Object: d.Object, Delete: d.Type == deltafifo.Deleted})
	}
	return store.Apply(changes, version)
}

// runInBackground runs c until the test calls stop.
func (c *Controller[T]) runInBackground() (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// A process function receives all changes of a key.
func TestControllerProcessesKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newScriptedSource("7", "a@1/u", "b@2/v")
		config, store := newConfig(source)
		var processed []string
		config.Process = func(key string, d deltafifo.Deltas[*gadget], isInInitialList bool) error {
			line := key
			for i := range d {
				line += " " + d[i].Type.String()
			}
			if isInInitialList {
				line += " (initial)"
			}
			processed = append(processed, line)
			return applyTo(store, d, "")
		}
		c := NewController(config)
		require.False(t, c.HasSynced())
		stop := c.runInBackground()
		synctest.Wait()
		require.True(t, c.HasSynced())
		require.Equal(t, []string{"a Replaced (initial)", "b Replaced (initial)"}, processed)

		processed = nil
		source.send(watch.Modified, "a@8/u")
		source.send(watch.Deleted, "b@9/v")
		synctest.Wait()
		require.Equal(t, []string{"a Updated", "b Deleted"}, processed)
		require.Equal(t, 1, store.Len())
		require.Equal(t, "9", c.LastSyncResourceVersion())
		require.Equal(t, reflector.PhaseWatching, c.State().Phase)
		require.ErrorIs(t, c.Run(t.Context()), ErrRunning)
		require.NoError(t, stop())
		require.ErrorIs(t, c.Run(t.Context()), ErrStopped)
		require.ErrorIs(t, config.Queue.Add(newGadget("c@10/w")), deltafifo.ErrClosed)
	})
}

// An error of the process function is reported, and its changes are lost; the loop
// continues. By default the error is logged.
func TestControllerReportsProcessErrors(t *testing.T) {
	for _, logged := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			source := newScriptedSource("7", "a@1/u")
			config, store := newConfig(source)
			failure := errors.New("store full")
			var reported []error
			var log strings.Builder
			if logged {
				config.Reflector.Logger = slog.New(slog.NewTextHandler(&log, nil))
			} else {
				config.OnError = func(_ context.Context, err error) { reported = append(reported, err) }
			}
			config.ProcessBatch = func(d []deltafifo.Delta[*gadget], b deltafifo.Batch) error {
				if b.InInitialList {
					return failure
				}
				return applyTo(store, d, b.Version)
			}
			c := NewController(config)
			stop := c.runInBackground()
			synctest.Wait()
			source.send(watch.Added, "b@8/v")
			synctest.Wait()
			require.Equal(t, 1, store.Len())
			require.NoError(t, stop())
			if logged {
				require.Contains(t, log.String(), "store full")
				require.Contains(t, log.String(), "gadgets")
				return
			}
			require.Len(t, reported, 1)
			require.ErrorIs(t, reported[0], failure)
			require.ErrorContains(t, reported[0], `beginning with "a"`)
		})
	}
}

// Run returns the error of an invalid Config.
func TestControllerConfigErrors(t *testing.T) {
	valid, store := newConfig(newScriptedSource("7"))
	batch := func(d []deltafifo.Delta[*gadget], b deltafifo.Batch) error { return applyTo(store, d, b.Version) }
	key := func(string, deltafifo.Deltas[*gadget], bool) error { return nil }
	for name, c := range map[string]struct {
		change func(*Config[*gadget])
		want   error
	}{
		"no queue":      {func(c *Config[*gadget]) { c.Queue, c.ProcessBatch = nil, batch }, ErrNoQueue},
		"no function":   {func(*Config[*gadget]) {}, ErrNoProcess},
		"two functions": {func(c *Config[*gadget]) { c.ProcessBatch, c.Process = batch, key }, ErrNoProcess},
		"no source":     {func(c *Config[*gadget]) { c.ListerWatcher, c.ProcessBatch = nil, batch }, reflector.ErrNoSource},
	} {
		t.Run(name, func(t *testing.T) {
			config := valid
			config.Queue = deltafifo.New(deltafifo.Options[*gadget]{})
			c.change(&config)
			controller := NewController(config)
			require.False(t, controller.HasSynced())
			require.ErrorIs(t, controller.Run(t.Context()), c.want)
		})
	}
}

// A panic of the process function is not recovered, and no goroutine leaks.
func TestProcessPanicIsNotRecovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config, _ := newConfig(newScriptedSource("7", "a@1/u"))
		config.ProcessBatch = func([]deltafifo.Delta[*gadget], deltafifo.Batch) error { panic("store full") }
		c := NewController(config)
		require.PanicsWithValue(t, "store full", func() { _ = c.Run(t.Context()) })
		require.Equal(t, reflector.PhaseStopped, c.State().Phase)
	})
}
