package debug

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// The page shows the informers of a factory until their last users release them. One
// timeline records all of them.
func TestPageListsInformersOfFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := apitest.NewServer(apitest.Options{InMemory: true})
		defer srv.Close()
		client, err := rest.New(srv.Config())
		require.NoError(t, err)
		defer client.Close()
		for _, namespace := range []string{"default", "kube-system"} {
			apitest.Create(t, srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web-0"}})
		}

		tl := NewTimeline(TimelineOptions{})
		f := informer.NewFactory(informer.FactoryOptions{Trace: tl.Trace()})
		view := rest.NewView[*Pod](client, pods)
		informer.For(f, view.Namespace("default"), informer.Options[*Pod]{})
		other := informer.For(f, view.Namespace("kube-system"), informer.Options[*Pod]{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		require.NoError(t, f.Start(ctx))
		defer func() { require.NoError(t, f.Shutdown()) }()
		require.NoError(t, f.WaitForSync(ctx))

		h := New(Options{Informers: f.Informers, Timeline: tl})
		get := func(query string) string {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/?"+query, nil))
			return w.Body.String()
		}
		require.Contains(t, get(""), "2 informers")
		require.Contains(t, get("informer=pods+-n+default"), "\ndefault/web-0\n")
		require.Contains(t, get("informer=pods+-n+kube-system"), "\nkube-system/web-0\n")
		require.Contains(t, get("informer=pods+-n+kube-system&key=kube-system/web-0"), "stored    add")

		require.NotContains(t, get(""), "bodies")
		bodies := informer.ForBodies(f, view, informer.BodyOptions[*Pod]{})
		_, ok, err := bodies.Get(ctx, "default/web-0")
		require.NoError(t, err)
		require.True(t, ok)
		require.Contains(t, get(""), "  bodies    1 kept, about ")
		require.Contains(t, get("format=json"), `"bodies": 1,`)
		require.Contains(t, get("format=html"), "Bodies</th><td>1 kept, about ")
		bodies.Release()
		time.Sleep(time.Second)

		other.Release()
		time.Sleep(time.Second)
		require.Contains(t, get(""), "1 informers")
		require.Contains(t, get("informer=pods+-n+kube-system"), "no informer")
	})
}
