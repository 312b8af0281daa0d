package controller_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// A read and a key wait for the namespace of the write only, and not for a namespace that
// the informer does not cover or covers no longer.
func TestWritesInOneOfSeveralNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		for _, namespace := range []string{"fast", "slow", "other"} { // the server creates the namespaces
			seed := newMap("seed")
			seed.Namespace = namespace
			apitest.Create(t, s.server, seed)
		}
		all := rest.NewResource[*configMap](s.client, configMaps)
		maps := informer.ForNamespaces(s.factory, all, informer.Options[*configMap]{PreferList: true, IdleTimeout: 24 * time.Hour, WatchTimeout: 24 * time.Hour}, "fast", "slow")
		requests := make(chan controller.Request)
		type result struct {
			found  bool
			err    error
			waited time.Duration
		}
		var mu sync.Mutex
		results := map[string]result{}
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			mu.Lock()
			_, done := results[req.Namespace]
			mu.Unlock()
			if done {
				return controller.Result{}, nil
			}
			m := newMap("a")
			m.Namespace = req.Namespace
			if _, err := all.Namespace(req.Namespace).Create(ctx, m, metav1.CreateOptions{}); err != nil {
				return controller.Result{}, err
			}
			began := time.Now()
			_, found, err := controller.Get(ctx, maps, req.Namespace+"/a")
			mu.Lock()
			defer mu.Unlock()
			results[req.Namespace] = result{found, err, time.Since(began)}
			return controller.Result{}, nil
		}), controller.Options{MaxConcurrentReconciles: 3})
		controller.Reads(c, maps)
		controller.Channel(c, requests)
		s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch", Namespace: "slow"}, Action: apitest.DelayEvents(time.Hour)})
		stop := s.run(c)
		time.Sleep(2 * time.Minute)
		for _, namespace := range []string{"slow", "fast", "other"} {
			requests <- controller.Request{Namespace: namespace, Name: "a"}
			synctest.Wait()
		}
		time.Sleep(5 * time.Second)
		mu.Lock()
		require.True(t, results["fast"].found)
		require.Less(t, results["fast"].waited, time.Second)
		require.Equal(t, result{}, results["other"], "not covered")
		mu.Unlock()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		require.ErrorAs(t, results["slow"].err, new(*controller.StaleError))
		require.Equal(t, 1, c.State().Held)
		require.NoError(t, maps.SetNamespaces("fast"))
		time.Sleep(time.Second)
		require.Zero(t, c.State().Held, "the namespace was removed")
		stop()
	})
}
