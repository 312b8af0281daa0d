package rest

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The trace reports the labels of a written object whatever the response is decoded
// into. They are nil if the response is not the object.
func TestATraceReportsTheLabelsOfAWrittenObject(t *testing.T) {
	for name, c := range map[string]struct {
		metadata, part string
		want           map[string]string
	}{
		"labels":                             {`,"labels":{"app":"shop"}`, "", map[string]string{"app": "shop"}},
		"no labels":                          {"", "", map[string]string{}},
		"labels, of an update of the status": {`,"labels":{"app":"shop"}`, "status", map[string]string{"app": "shop"}},
		"another subresource":                {"", "scale", nil},
	} {
		t.Run(name, func(t *testing.T) {
			answer := respondsWith(200, `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"d","name":"web","uid":"u","resourceVersion":"7"`+c.metadata+`}}`)
			client, _ := scripted(t, Config{}, answer, answer, answer)
			info := ResourceInfo{GroupVersionResource: coreV1.WithResource("pods"), Kind: "Pod", Namespaced: true}
			var writes []WriteInfo
			ctx := WithTrace(t.Context(), &Trace{Wrote: func(w WriteInfo) { writes = append(writes, w) }})
			request := func() *Request {
				return client.GroupVersion(coreV1).Put().Resource("pods").Namespace("d").Name("web").withSubresource(c.part).Body([]byte(`{}`))
			}
			require.NoError(t, request().Do(ctx).Error())
			_, err := NewView[*metav1.PartialObjectMetadata](client, info).doObject(ctx, request())
			require.NoError(t, err)
			_, err = NewView[*struct {
				SlimMeta `json:"metadata"`
			}](client, info).doObject(ctx, request())
			require.NoError(t, err)
			require.Len(t, writes, 3)
			for _, w := range writes {
				require.Equal(t, c.want, w.Labels)
				require.Equal(t, NewView[*metav1.PartialObjectMetadata](client, info).Host(), w.Host)
			}
		})
	}
}

// Clients of one server have the same Host, in any spelling of their configs.
func TestHostIdentifiesTheServer(t *testing.T) {
	hostOf := func(config Config) string {
		client, err := New(&config)
		require.NoError(t, err)
		t.Cleanup(client.Close)
		return NewView[*metav1.PartialObjectMetadata](client, ResourceInfo{}).Host()
	}
	want := "https://example.com"
	for _, config := range []Config{
		{Host: "https://example.com"}, {Host: "https://example.com/"}, {Host: "https://EXAMPLE.com:443"},
		{Host: "example.com", BearerToken: "x"}, {Host: "https://example.com", BearerToken: "y"},
	} {
		require.Equal(t, want, hostOf(config), config.Host)
	}
	for _, config := range []Config{
		{Host: "http://example.com"}, {Host: "https://example.com:6443"}, {Host: "https://example.com/cluster"}, {Host: "https://example.org"},
	} {
		require.NotEqual(t, want, hostOf(config), config.Host)
	}
}
