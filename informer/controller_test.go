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

// byHand is a Config without its process function, and the store behind it.
func byHand(source *stock) (Config[*gadget], *indexer.Indexer[*gadget]) {
	store := indexer.New(indexer.Options[*gadget]{})
	return Config[*gadget]{
		Queue:         deltafifo.New(deltafifo.Options[*gadget]{MetaFunc: metaOf[*gadget], KnownObjects: store}),
		ListerWatcher: source,
		Reflector:     reflector.Options[*gadget]{Name: "gadgets", PreferList: true},
	}, store
}

func into(store *indexer.Indexer[*gadget], deltas []deltafifo.Delta[*gadget], version string) error {
	var changes []indexer.Change[*gadget]
	for _, d := range deltas {
		changes = append(changes, indexer.Change[*gadget]{Key: d.Key, Object: d.Object, Delete: d.Type == deltafifo.Deleted})
	}
	return store.Apply(changes, version)
}

// run runs c until the test calls the function that is returned.
func (c *Controller[T]) runBeside() (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// A process function of one's own gets each key with all that has happened to it.
func TestAControllerProcessesKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := aStock("7", "a@1/u", "b@2/v")
		config, store := byHand(source)
		var handed []string
		config.Process = func(key string, d deltafifo.Deltas[*gadget], isInInitialList bool) error {
			line := key
			for i := range d {
				line += " " + d[i].Type.String()
			}
			if isInInitialList {
				line += " (initial)"
			}
			handed = append(handed, line)
			return into(store, d, "")
		}
		c := NewController(config)
		require.False(t, c.HasSynced())
		stop := c.runBeside()
		synctest.Wait()
		require.True(t, c.HasSynced())
		require.Equal(t, []string{"a Replaced (initial)", "b Replaced (initial)"}, handed)

		handed = nil
		source.tell(watch.Modified, "a@8/u")
		source.tell(watch.Deleted, "b@9/v")
		synctest.Wait()
		require.Equal(t, []string{"a Updated", "b Deleted"}, handed)
		require.Equal(t, 1, store.Len())
		require.Equal(t, "9", c.LastSyncResourceVersion())
		require.Equal(t, reflector.Watching, c.State().Phase)
		require.ErrorIs(t, c.Run(t.Context()), ErrRunning)
		require.NoError(t, stop())
		require.ErrorIs(t, c.Run(t.Context()), ErrStopped)
		require.ErrorIs(t, config.Queue.Add(aGadget("c@10/w")), deltafifo.ErrClosed)
	})
}

// An error of the process function is told and costs what it was handed; the
// loop goes on. By default it is logged.
func TestAnErrorOfTheProcessFunctionIsTold(t *testing.T) {
	for _, logged := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			source := aStock("7", "a@1/u")
			config, store := byHand(source)
			failure := errors.New("no room")
			var heard []error
			var log strings.Builder
			if logged {
				config.Reflector.Logger = slog.New(slog.NewTextHandler(&log, nil))
			} else {
				config.OnError = func(_ context.Context, err error) { heard = append(heard, err) }
			}
			config.ProcessBatch = func(d []deltafifo.Delta[*gadget], b deltafifo.Batch) error {
				if b.InInitialList {
					return failure
				}
				return into(store, d, b.Version)
			}
			c := NewController(config)
			stop := c.runBeside()
			synctest.Wait()
			source.tell(watch.Added, "b@8/v")
			synctest.Wait()
			require.Equal(t, 1, store.Len())
			require.NoError(t, stop())
			if logged {
				require.Contains(t, log.String(), "no room")
				require.Contains(t, log.String(), "gadgets")
				return
			}
			require.Len(t, heard, 1)
			require.ErrorIs(t, heard[0], failure)
			require.ErrorContains(t, heard[0], `beginning with "a"`)
		})
	}
}

// What a Config lacks is the error of Run.
func TestWhatAConfigLacks(t *testing.T) {
	whole, store := byHand(aStock("7"))
	batch := func(d []deltafifo.Delta[*gadget], b deltafifo.Batch) error { return into(store, d, b.Version) }
	key := func(string, deltafifo.Deltas[*gadget], bool) error { return nil }
	for name, c := range map[string]struct {
		without func(*Config[*gadget])
		want    error
	}{
		"no queue":    {func(c *Config[*gadget]) { c.Queue, c.ProcessBatch = nil, batch }, ErrNoQueue},
		"no function": {func(*Config[*gadget]) {}, ErrNoProcess},
		"two of them": {func(c *Config[*gadget]) { c.ProcessBatch, c.Process = batch, key }, ErrNoProcess},
		"no source":   {func(c *Config[*gadget]) { c.ListerWatcher, c.ProcessBatch = nil, batch }, reflector.ErrNoSource},
	} {
		t.Run(name, func(t *testing.T) {
			config := whole
			config.Queue = deltafifo.New(deltafifo.Options[*gadget]{})
			c.without(&config)
			controller := NewController(config)
			require.False(t, controller.HasSynced())
			require.ErrorIs(t, controller.Run(t.Context()), c.want)
		})
	}
}

// A panic of the process function is not swallowed, and nothing is left behind.
func TestAPanicOfTheProcessFunctionGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config, _ := byHand(aStock("7", "a@1/u"))
		config.ProcessBatch = func([]deltafifo.Delta[*gadget], deltafifo.Batch) error { panic("no room") }
		c := NewController(config)
		require.PanicsWithValue(t, "no room", func() { _ = c.Run(t.Context()) })
		require.Equal(t, reflector.Stopped, c.State().Phase)
	})
}
