package reflector

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/rest"
)

// That a resource is not served is logged once, with the time at which the server is
// asked next. It is logged again when the state has changed.
func TestLogOfMissingResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.NewServer(apitest.Options{InMemory: true, NoBuiltinKinds: true, Logger: slog.New(slog.DiscardHandler)})
		defer server.Close()
		client, err := rest.New(server.Config())
		require.NoError(t, err)
		defer client.Close()
		var log bytes.Buffer
		gadgets := rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}, Kind: "Gadget", Namespaced: true}
		other := gadgets
		other.Resource, other.Kind = "others", "Other"
		require.NoError(t, server.Register(apitest.Resource{ResourceInfo: other})) // the group version is served
		r := New(rest.NewView[*metav1.PartialObjectMetadata](client, gadgets), indexer.New(indexer.Options[*metav1.PartialObjectMetadata]{}), Options[*metav1.PartialObjectMetadata]{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		defer func() {
			cancel()
			require.NoError(t, <-ended)
		}()
		logged := func() []string {
			synctest.Wait()
			defer log.Reset()
			return strings.Split(strings.TrimSpace(log.String()), "\n")
		}

		synctest.Wait()
		require.WithinDuration(t, time.Now().Add(3*time.Second), r.State().RetryAt, 0)
		time.Sleep(2 * time.Hour)
		lines := logged()
		require.Len(t, lines, 1, "about 120 attempts")
		require.Contains(t, lines[0], `reason="not found"`)
		require.Contains(t, lines[0], `retry="when it is served, checked in 3s"`)

		// The server lists the resource and does not serve it.
		fault := server.Fault(apitest.Fault{Match: apitest.Match{Resource: "gadgets"}, Action: apitest.Fail(404, 0)})
		require.NoError(t, server.Register(apitest.Resource{ResourceInfo: gadgets}))
		time.Sleep(2 * time.Hour)
		lines = logged()
		require.Len(t, lines, 1)
		require.Regexp(t, `reason="not found".* retry="in `, lines[0])

		// The resource is served, and not served again.
		fault.Remove()
		time.Sleep(2 * time.Minute)
		require.Empty(t, r.State().Err)
		server.Fault(apitest.Fault{Match: apitest.Match{Resource: "gadgets"}, Action: apitest.Fail(404, 0)})
		server.Restart()
		time.Sleep(10 * time.Minute)
		require.NotEmpty(t, logged()[0])
	})
}
