package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest/internal/fault"
)

// names returns the names in a list, its version, and the continue token.
func names(t *testing.T, srv *Server, query string) (all string, version, more string) {
	t.Helper()
	_, body, err := get(t, srv, srv.testClient(t), "/api/v1/configmaps?"+query)
	require.NoError(t, err)
	var list metav1.PartialObjectMetadataList
	require.NoError(t, json.Unmarshal([]byte(body), &list), body)
	for _, item := range list.Items {
		all += item.Name
	}
	return all, list.ResourceVersion, list.Continue
}

// A stale list is of an older version, for any requested version. A watch from
// it sends the changes since.
func TestStaleList(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		write(t, srv, "b", "c")
		old := fmt.Sprint(srv.store.Current())
		write(t, srv, "d", "e")
		newest := fmt.Sprint(srv.store.Current())
		fault := srv.Fault(Fault{Action: StaleList(2)})
		for _, query := range []string{"", "resourceVersion=0", "resourceVersion=" + newest, "resourceVersion=" + newest + "&resourceVersionMatch=NotOlderThan"} {
			all, version, _ := names(t, srv, query)
			require.Equal(t, "abc", all, query)
			require.Equal(t, old, version)
		}
		all, version, more := names(t, srv, "limit=2")
		require.Equal(t, "ab", all)
		require.Equal(t, old, version)
		all, _, _ = names(t, srv, "limit=2&continue="+url.QueryEscape(more))
		require.Equal(t, "c", all, "the pages are of one list")

		w := openWatch(t, context.Background(), srv, srv.testClient(t), "/api/v1/configmaps?watch=true&resourceVersion="+old)
		require.Equal(t, "ADD d; ADD e; ", w.read(2))
		fault.Remove()
		all, _, _ = names(t, srv, "")
		require.Equal(t, "abcde", all)
	})
}

// A stale list is no older than the history, and no older than the first
// version.
func TestStaleListIsWithinTheHistory(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		write(t, srv, "b")
		fault := srv.Fault(Fault{Action: StaleList(1 << 40)})
		all, _, _ := names(t, srv, "")
		require.Empty(t, all)
		fault.Remove()
		srv.Compact()
		write(t, srv, "c")
		srv.Fault(Fault{Action: StaleList(1 << 40)})
		all, _, _ = names(t, srv, "")
		require.Equal(t, "ab", all)
	})
}

// Bodies that are not JSON, and errors, are not changed.
func TestRewritesChangeSuccessfulResponses(t *testing.T) {
	onEachTransport(t, func(t *testing.T, srv *Server) {
		srv.Fault(Fault{Action: TruncateJSON()})
		response, body, err := get(t, srv, srv.testClient(t), "/api/v1/configmaps/absent/x")
		require.NoError(t, err)
		require.Equal(t, 404, response.StatusCode)
		_, plain, err := get(t, srv, srv.testClient(t), "/healthz")
		require.NoError(t, err)
		require.Equal(t, "o", plain)
		require.NotEmpty(t, body)
	})
	require.Equal(t, "ok", string(fault.OtherKind([]byte("ok"))))
}

// Two rewrites compose. A response to be rewritten is not compressed.
func TestRewritesCompose(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	Seed(t, srv, 100, func(i int) *ConfigMap {
		return &ConfigMap{ObjectMeta: named("default", fmt.Sprint("a", i)), Data: map[string]string{"x": strings.Repeat("x", 4000)}}
	})
	srv.Fault(Fault{Action: WrongKind()})
	srv.Fault(Fault{Action: TruncateJSON()})
	response, body, err := get(t, srv, srv.testClient(t), "/api/v1/configmaps")
	require.NoError(t, err)
	require.False(t, response.Uncompressed)
	require.Contains(t, body, `{"apiVersion":"apitest.invalid/v1","items":[`)
	require.Greater(t, len(body), 200_000)
	require.Less(t, len(body), 300_000)
}
