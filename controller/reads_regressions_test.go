package controller_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

// reconcileLog counts the reconciles of each key.
type reconcileLog struct {
	mu   sync.Mutex
	keys []string
}

func (l *reconcileLog) add(req controller.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys = append(l.keys, req.Name)
}

// take returns and removes the keys, sorted.
func (l *reconcileLog) take() []string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	keys := slices.Sorted(slices.Values(l.keys))
	l.keys = nil
	return keys
}

// What the last successful reconcile has read counts also if the controller was restarted
// and a reconcile has failed since.
func TestReadsBeforeARestartAndATerminalError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		log, fails := &reconcileLog{}, false
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			log.add(req)
			if req.Name != "reader" {
				return controller.Result{}, nil
			}
			if fails {
				return controller.Result{}, controller.TerminalError(errors.New("invalid spec"))
			}
			_, _, err := controller.Get(ctx, maps, "default/read")
			return controller.Result{}, err
		}), controller.Options{})
		controller.For(c, maps)
		s.create("reader")
		require.NoError(t, s.factory.Start(t.Context()))
		for range 2 {
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- c.Run(ctx) }()
			time.Sleep(time.Second)
			require.Equal(t, []string{"reader"}, slices.Compact(log.take()), "once, or once more for the last run")
			if fails {
				s.create("read")
				time.Sleep(time.Second)
				require.Equal(t, []string{"read", "reader"}, slices.Compact(log.take()))
			}
			stop()
			require.NoError(t, <-ended)
			fails = true
		}
		require.NoError(t, s.factory.Shutdown())
	})
}

// A change is reconciled although the server has given its version before: its state was
// restored from a backup.
func TestReadOfAVersionThatIsGivenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		log, reads := &reconcileLog{}, true
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			log.add(req)
			if !reads {
				return controller.Result{}, nil
			}
			_, _, err := controller.Get(ctx, maps, req.String())
			return controller.Result{}, err
		}), controller.Options{})
		controller.For(c, maps)
		created := s.create("a")
		stop := s.run(c)
		time.Sleep(time.Second)
		require.Equal(t, []string{"a"}, log.take())
		update := func(value string) {
			changed := *created
			changed.ResourceVersion, changed.Data = "", map[string]string{"x": value}
			apitest.Update(t, s.server, &changed)
			time.Sleep(time.Second)
			require.Equal(t, []string{"a"}, log.take(), value)
		}
		update("1")
		reads = false
		update("2")
		back := s.server.BeginOutage(apitest.Outage{Kind: apitest.OutageRefused})
		s.server.RestartFromBackup(1)
		time.Sleep(2 * time.Second)
		back()
		time.Sleep(time.Minute)
		require.Equal(t, []string{"a"}, log.take())
		stop()
	})
}

// An own write that a list delivers is reconciled: the list may hide writes of other
// clients. The same write is not reconciled if a watch delivers it.
func TestOwnWriteThatAListDelivers(t *testing.T) {
	for _, listed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newFixture(t, 0)
			maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
			log, writes := &reconcileLog{}, false
			c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
				log.add(req)
				if !writes {
					return controller.Result{}, nil
				}
				writes = false
				if _, _, err := controller.Get(ctx, maps, req.String()); err != nil {
					return controller.Result{}, err
				}
				_, err := s.maps.Patch(ctx, req.Name, types.MergePatchType, []byte(`{"data":{"x":"y"}}`), metav1.PatchOptions{})
				return controller.Result{}, err
			}), controller.Options{})
			controller.NotOwnWrites(controller.For(c, maps))
			requests := make(chan controller.Request)
			controller.Channel(c, requests)
			s.create("a")
			stop := s.run(c)
			time.Sleep(time.Second)
			require.Equal(t, []string{"a"}, log.take())
			if listed {
				s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.Fail(500, 0)})
				s.server.Restart()
				time.Sleep(time.Second)
			}
			writes = true
			requests <- controller.Request{Namespace: "default", Name: "a"}
			time.Sleep(time.Second)
			s.server.Compact()
			s.server.RemoveFaults()
			time.Sleep(2 * time.Minute)
			if listed {
				require.Equal(t, []string{"a", "a"}, log.take())
			} else {
				require.Equal(t, []string{"a"}, log.take())
			}
			stop()
		})
	}
}
