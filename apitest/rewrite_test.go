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
)

// names of a list that a client reads, with its version.
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

// A stale list is one of an older version, whatever the client asks for; the
// watch from it tells what came since.
func TestStaleList(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		write(t, srv, "b", "c")
		old := fmt.Sprint(srv.store.current())
		write(t, srv, "d", "e")
		newest := fmt.Sprint(srv.store.current())
		fault := srv.Fault(Fault{Do: StaleList(2)})
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
		fault.Lift()
		all, _, _ = names(t, srv, "")
		require.Equal(t, "abcde", all)
	})
}

// Older than the history is as old as it is known; older than all is the
// beginning.
func TestStaleListIsWithinTheHistory(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		write(t, srv, "b")
		fault := srv.Fault(Fault{Do: StaleList(1 << 40)})
		all, _, _ := names(t, srv, "")
		require.Empty(t, all)
		fault.Lift()
		srv.Compact()
		write(t, srv, "c")
		srv.Fault(Fault{Do: StaleList(1 << 40)})
		all, _, _ = names(t, srv, "")
		require.Equal(t, "ab", all)
	})
}

// What cannot be JSON is left as it is, and what failed is not changed.
func TestRewritesChangeWhatSucceeded(t *testing.T) {
	inEachWay(t, func(t *testing.T, srv *Server) {
		srv.Fault(Fault{Do: TruncateJSON()})
		response, body, err := get(t, srv, srv.testClient(t), "/api/v1/configmaps/absent/x")
		require.NoError(t, err)
		require.Equal(t, 404, response.StatusCode)
		_, plain, err := get(t, srv, srv.testClient(t), "/healthz")
		require.NoError(t, err)
		require.Equal(t, "o", plain)
		require.NotEmpty(t, body)
	})
	require.Equal(t, "ok", string(otherKind([]byte("ok"))))
}

// Two rewrites follow each other; a list is compressed for nobody whose list is
// to be changed.
func TestRewritesCompose(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	Seed(t, srv, 100, func(i int) *ConfigMap {
		return &ConfigMap{ObjectMeta: named("default", fmt.Sprint("a", i)), Data: map[string]string{"x": strings.Repeat("x", 4000)}}
	})
	srv.Fault(Fault{Do: WrongKind()})
	srv.Fault(Fault{Do: TruncateJSON()})
	response, body, err := get(t, srv, srv.testClient(t), "/api/v1/configmaps")
	require.NoError(t, err)
	require.False(t, response.Uncompressed)
	require.Contains(t, body, `{"apiVersion":"apitest.invalid/v1","items":[`)
	require.Greater(t, len(body), 200_000)
	require.Less(t, len(body), 300_000)
}
