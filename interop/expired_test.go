package interop_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/apitest"
)

// many is more than two pages of an informer, which have 500 config maps each.
const many = 1_203

func numbered(i int) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%04d", i)}}
}

// manyWatched returns client-go's informer of the config maps of a server that has many.
// It lists and then watches.
func manyWatched(t *testing.T, srv *apitest.Server) cache.SharedIndexInformer {
	t.Helper()
	featurestesting.SetFeatureDuringTest(t, features.WatchListClient, false)
	apitest.Seed(t, srv, many, numbered)
	calls := &counted{client: clientset(t, srv, new(lines))}
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: calls.list, WatchFuncWithContext: calls.watch,
	}, &corev1.ConfigMap{}, 0, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { informer.RunWithContext(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return informer
}

// converges waits until the informer's store equals the server's objects.
func converges(t *testing.T, srv *apitest.Server, informer cache.SharedIndexInformer) {
	t.Helper()
	holds := func() map[string]string {
		versions := map[string]string{}
		for _, m := range apitest.List(t, srv, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default"}}) {
			versions[m.Name] = m.ResourceVersion
		}
		return versions
	}
	require.Eventually(t, func() bool { return maps.Equal(holds(), cached(informer)) },
		converging, 20*time.Millisecond, "%v", srv.Requests(apitest.Match{Resource: "configmaps"}))
}

// pages returns the requests for the later parts of lists.
var pages = apitest.Match{Verb: "list", Resource: "configmaps", Filter: func(r apitest.Request) bool {
	return r.Parameter("continue") != ""
}}

// An informer resumes after a disconnection; if the server has discarded the events since
// then, it receives a 410 and lists again.
func TestClientGoInformerListsAgainWhenItsVersionHasExpired(t *testing.T) {
	for name, forgotten := range map[string]int{"remembered": 0, "forgotten": 1} {
		t.Run(name, func(t *testing.T) {
			srv := apitest.NewServer(apitest.Options{})
			defer srv.Close()
			informer := manyWatched(t, srv)
			converges(t, srv, informer)
			// A watch that ends before its first event has client-go list in any case.
			require.NoError(t, srv.WaitForRequests(t.Context(), apitest.Match{Verb: "watch"}, 1))
			apitest.Create(t, srv, numbered(many))
			converges(t, srv, informer)
			lists := len(srv.Requests(apitest.Match{Verb: "list"}))

			srv.Stop()
			apitest.Delete(t, srv, numbered(0))
			apitest.Modify(t, srv, numbered(1), func(m *corev1.ConfigMap) { m.Data = map[string]string{"a": "b"} })
			apitest.Create(t, srv, numbered(many+1))
			if forgotten > 0 {
				srv.Compact()
			}
			srv.Start()
			converges(t, srv, informer)
			require.Len(t, srv.Requests(apitest.Match{Verb: "list"}), lists+forgotten)
		})
	}
}

// An informer without a version requests pages and receives all of the list.
func TestClientGoInformerPages(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "list", Resource: "configmaps"}, Nth: 1, Action: apitest.Fail(http.StatusGone, 0)})
	informer := manyWatched(t, srv)
	converges(t, srv, informer)
	require.Len(t, srv.Requests(pages), 2)
}

// If a token expires between pages, the response is a 410, and the informer requests the
// list without pages.
func TestClientGoInformerPagesExpire(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "list", Resource: "configmaps"}, Nth: 1, Action: apitest.Fail(http.StatusGone, 0)})
	srv.Fault(apitest.Fault{Match: pages, Nth: 2, Action: apitest.Call("forget the first page", func(srv *apitest.Server) {
		apitest.Delete(t, srv, numbered(0))
		srv.Compact()
	})})
	informer := manyWatched(t, srv)
	converges(t, srv, informer)
	asked := srv.Requests(pages)
	require.Len(t, asked, 2)
	require.Equal(t, http.StatusGone, asked[1].Code)
}
