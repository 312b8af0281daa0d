package listwatch_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

type pod struct {
	rest.SlimMeta `json:"metadata"`
}

// The constructors send requests for their resource, namespace and selectors.
func TestRequestsOfListWatchFromClient(t *testing.T) {
	var requests []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.Path+"?"+r.URL.Query().Encode())
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Has("watch") {
			io.WriteString(w, `{"type":"DELETED","object":{"metadata":{"name":"a","namespace":"ns","resourceVersion":"9"}}}`)
			return
		}
		io.WriteString(w, `{"kind":"PodList","metadata":{"resourceVersion":"8"},"items":[{"metadata":{"name":"a","namespace":"ns","resourceVersion":"7"}}]}`)
	}))
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL, PageSize: -1})
	require.NoError(t, err)
	defer client.Close()
	core := client.GroupVersion(schema.GroupVersion{Version: "v1"})
	onNode := fields.OneTermEqualSelector("spec.nodeName", "n1")

	for _, c := range []struct {
		name  string
		lw    *listwatch.ListWatch[*pod]
		path  string
		query string
	}{
		{"one namespace", listwatch.NewListWatchFromClient[*pod](core, "pods", "ns", fields.Everything()), "/api/v1/namespaces/ns/pods", ""},
		{"all namespaces", listwatch.NewListWatchFromClient[*pod](core, "pods", metav1.NamespaceAll, nil), "/api/v1/pods", ""},
		{"field selector", listwatch.NewListWatchFromClient[*pod](core, "pods", "ns", onNode), "/api/v1/namespaces/ns/pods", "fieldSelector=spec.nodeName%3Dn1"},
		{"modifier", listwatch.NewFilteredListWatchFromClient[*pod](core, "pods", "ns", func(opts *metav1.ListOptions) {
			opts.LabelSelector = "app=web"
		}), "/api/v1/namespaces/ns/pods", "labelSelector=app%3Dweb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			requests = nil
			list, err := c.lw.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			items, err := list.Slice()
			require.NoError(t, err)
			require.Len(t, items, 1)
			require.Equal(t, "a", items[0].Name)
			w, err := c.lw.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion()})
			require.NoError(t, err)
			defer w.Stop()
			event, err := w.Next(t.Context())
			require.NoError(t, err)
			require.Equal(t, "9", event.ResourceVersion)
			and := ""
			if c.query != "" {
				and = c.query + "&"
			}
			require.Equal(t, []string{c.path + "?" + c.query, c.path + "?" + and + "resourceVersion=8&watch=true"}, requests)
		})
	}
	_, err = listwatch.NewListWatchFromClient[*pod](core, "pods", "../..", nil).List(t.Context(), metav1.ListOptions{})
	require.Error(t, err, "a namespace that is not a path segment")
}

// Both lists and watches send the shard selector.
func TestShardSelectorReachesTheServer(t *testing.T) {
	var requests []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.Query().Get("shardSelector"))
		w.Header().Set("Content-Type", "application/json")
		if !r.URL.Query().Has("watch") {
			io.WriteString(w, `{"kind":"PodList","metadata":{"resourceVersion":"8"},"items":[]}`)
		}
	}))
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	defer client.Close()
	const shard = "shardRange(object.metadata.uid, '0x0', '0x8')"
	source := listwatch.Modify(rest.NewView[*pod](client, podInfo), func(opts *metav1.ListOptions) { opts.ShardSelector = shard })

	list, err := source.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = list.Slice()
	require.NoError(t, err)
	w, err := source.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion()})
	require.NoError(t, err)
	defer w.Stop()
	_, err = w.Next(t.Context())
	require.Equal(t, io.EOF, err)
	require.Equal(t, []string{shard, shard}, requests)
}
