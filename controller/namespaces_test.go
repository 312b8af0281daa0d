package controller_test

import (
	"context"
	"sync/atomic"
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

// A namespace that is forbidden is named by /readyz with the missing right, from the start
// or later, and the program is ready. If all namespaces are forbidden, it is not.
func TestReadyzNamesTheForbiddenNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		forbid := func(namespace string) *apitest.InjectedFault {
			return s.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: namespace, Resource: "configmaps"}, Action: apitest.Fail(403, 0)})
		}
		all, forbidden := forbid(""), forbid("b")
		apitest.Create(t, s.srv, &configMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "m"},
		})
		var started atomic.Bool
		s.options.Factory = nil
		maps := informer.ForNamespaces(nil, rest.NewView[*configMap](s.client, configMaps), informer.Options[*configMap]{Logger: s.options.Logger}, "a", "b", "c")
		s.options.Informers = []controller.Informer{maps}
		c := controller.New("maps", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
			started.Store(true)
			return controller.Result{}, nil
		}), controller.Options{Logger: s.options.Logger})
		controller.For(c, maps)
		s.run(c)
		time.Sleep(10 * time.Second)
		const right = `(apiGroups: [""], resources: ["configmaps"], verbs: [list, watch])`
		status, ready := s.get("/readyz?verbose")
		require.Equal(t, 503, status)
		require.Contains(t, ready, "[-]informer/configmaps in several namespaces failed: ")
		require.Contains(t, ready, right)
		require.False(t, started.Load())

		all.Remove()
		time.Sleep(2 * time.Minute)
		status, ready = s.get("/readyz?verbose")
		require.Equal(t, 200, status, ready)
		require.Contains(t, ready, "1 of 3 namespaces is not healthy: ")
		require.Contains(t, ready, " configmaps -n b: ")
		require.Contains(t, ready, right)
		require.True(t, started.Load(), "the controller works in the other namespaces")

		forbidden.Remove()
		time.Sleep(2 * time.Minute)
		status, ready = s.get("/readyz?verbose")
		require.Equal(t, 200, status, ready)
		require.NotContains(t, ready, "-n b")

		forbidden = forbid("b")
		s.srv.Restart()
		time.Sleep(time.Minute)
		status, ready = s.get("/readyz?verbose")
		require.Equal(t, 200, status, ready)
		require.Contains(t, ready, "1 of 3 namespaces is not healthy: ")
		require.Contains(t, ready, " configmaps -n b from ")
		require.Contains(t, ready, right)
		require.NoError(t, maps.SetNamespaces("a", "c"))
		_, ready = s.get("/readyz?verbose")
		require.NotContains(t, ready, "-n b")
		forbidden.Remove()
		require.NoError(t, s.stopAndWait())
	})
}

// A Get in a namespace that is forbidden is an error, since it is not known whether the
// object exists. When the namespace is allowed, the change is a change of what the failed
// reconcile has read, so the request is enqueued.
func TestGetInForbiddenNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		forbidden := s.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "b", Resource: "configmaps"}, Action: apitest.Fail(403, 0)})
		apitest.Create(t, s.srv, &configMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "read"},
		})
		maps := informer.ForNamespaces(nil, rest.NewView[*configMap](s.client, configMaps), informer.Options[*configMap]{Logger: s.options.Logger}, "a", "b")
		s.options.Factory = nil
		s.options.Informers = []controller.Informer{maps}
		var results []error
		c := controller.New("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			_, ok, err := controller.Get(ctx, maps, "b/read")
			require.Equal(t, err == nil, ok)
			results = append(results, err)
			return controller.Result{}, controller.TerminalError(err)
		}), controller.Options{Logger: s.options.Logger})
		controller.Reads(c, maps)
		requests := make(chan controller.Request, 1)
		requests <- controller.Request{Name: "key"}
		controller.Channel(c, requests)
		s.run(c)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Len(t, results, 1)
		require.ErrorIs(t, results[0], informer.ErrNotListed)
		require.ErrorContains(t, results[0], `"b"`)
		forbidden.Remove()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Len(t, results, 2)
		require.NoError(t, results[1])
		require.NoError(t, s.stopAndWait())
	})
}
