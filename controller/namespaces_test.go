package controller_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// A namespace that is forbidden is named by /readyz with the missing right. Before the
// informer has synced, the program is not ready; afterwards it is, with a remark.
func TestReadyzNamesTheForbiddenNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		forbid := func() *apitest.InjectedFault {
			return s.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "b", Resource: "configmaps"}, Action: apitest.Fail(403, 0)})
		}
		forbidden := forbid()
		s.options.Factory = nil
		maps := informer.ForNamespaces(nil, rest.NewView[*configMap](s.client, configMaps), informer.Options[*configMap]{Logger: s.options.Logger}, "a", "b", "c")
		s.options.Informers = []controller.Informer{maps}
		c := controller.New("maps", controller.Func(doNothing), controller.Options{Logger: s.options.Logger})
		controller.For(c, maps)
		s.run(c)
		time.Sleep(10 * time.Second)
		const right = `(apiGroups: [""], resources: ["configmaps"], verbs: [list, watch])`
		status, ready := s.get("/readyz?verbose")
		require.Equal(t, 503, status)
		require.Contains(t, ready, "[-]informer/configmaps -n * failed: ")
		require.Contains(t, ready, " configmaps -n b: ")
		require.Contains(t, ready, right)

		forbidden.Remove()
		time.Sleep(2 * time.Minute)
		status, ready = s.get("/readyz?verbose")
		require.Equal(t, 200, status, ready)
		require.NotContains(t, ready, "-n b")

		forbidden = forbid()
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
