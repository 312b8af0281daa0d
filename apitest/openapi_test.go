package apitest

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// kubectl requests version 2, in protobuf, for kinds that it does not find in
// version 3.
func TestOpenAPI2IsADocumentWithoutPaths(t *testing.T) {
	s := plainServer(t)
	get := func(accept string) (kind string, text []byte) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/openapi/v2", nil)
		require.NoError(t, err)
		req.Header.Set("Accept", accept)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		res, err := client.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		text, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Equal(t, 200, res.StatusCode)
		return res.Header.Get("Content-Type"), text
	}
	kind, text := get("application/json")
	require.Equal(t, "application/json", kind)
	require.JSONEq(t, `{"swagger":"2.0","info":{"title":"Kubernetes","version":"`+registry.KubernetesVersion+`"},"paths":{}}`, string(text))

	kind, text = get("application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
	require.Equal(t, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", kind)
	parts := map[int]string{}
	for len(text) > 0 {
		h, content, n, err := pbobj.Next(text)
		require.NoError(t, err)
		parts[h.Number], text = string(content), text[n:]
	}
	require.Equal(t, map[int]string{1: "2.0", 2: "\x0a\x0aKubernetes\x12\x07" + registry.KubernetesVersion, 8: ""}, parts)
}
