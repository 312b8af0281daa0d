package apitest

import (
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A YAML body with aliases is rejected before they are expanded, in every
// request that accepts YAML.
func TestYAMLAliasesAreRejected(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Seed: 1})
	defer srv.Close()
	send := func(method, path, contentType, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		return w
	}
	const all = "/api/v1/namespaces/default/configmaps"
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	// 340 KB that expand to 1 GB of JSON.
	large := head + "x: &large " + strings.Repeat("a", 25_000) + "\ny: [" + strings.Repeat("*large,", 45_000) + "]\n"
	for name, body := range map[string]string{
		"large":        large,
		"value":        head + "data: {a: &b c, d: *b}\n",
		"block":        head + "data:\n  a: &b c\n  d: *b\n",
		"list":         head + "x: &b c\ny:\n- *b\n",
		"merge key":    head + "x: &b {c: d}\ndata:\n  <<: *b\n",
		"anchor twice": head + "x: &b c\ny: &b d\ndata: {a: *b}\n",
		"key":          head + "x: &b c\ndata: {*b : d}\n",
		"after a tag":  head + "x: &1 c\ndata:\n  a: *1\n",
		"UTF-16":       utf16Of(binary.LittleEndian, head+"data: {a: &b c, d: *b}\n"),
		"UTF-16BE":     utf16Of(binary.BigEndian, head+"data: {a: &b c, d: *b}\n"),
	} {
		t.Run(name, func(t *testing.T) {
			created := send(http.MethodPost, all, "application/yaml", body)
			require.Equal(t, http.StatusBadRequest, created.Code, created.Body)
			require.Contains(t, created.Body.String(), "aliases")
			applied := send(http.MethodPatch, all+"/a?fieldManager=m", "application/apply-patch+yaml", body)
			require.Equal(t, http.StatusBadRequest, applied.Code, applied.Body)
			require.Contains(t, applied.Body.String(), "aliases")
			deleted := send(http.MethodDelete, all+"/a", "application/yaml", "kind: &k DeleteOptions\napiVersion: *k\n")
			require.Equal(t, http.StatusBadRequest, deleted.Code, deleted.Body)
			require.Contains(t, deleted.Body.String(), "aliases")
		})
	}
	// Text that only looks like an alias is accepted, and so are anchors without
	// aliases.
	for name, data := range map[string]string{
		"block":   "\n  code: |\n    int *p = &p;\n    *p = 1;\n",
		"quoted":  "\n  a: '*b &b'\n  c: \"*b &b\"\n",
		"plain":   "\n  a: x *b &b\n",
		"comment": "\n  a: x # *b &b\n",
		"anchor":  "\n  a: &b \"*\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			body := strings.Replace(head, "name: a", "name: "+name, 1) + "data:" + data
			created := send(http.MethodPost, all, "application/yaml", body)
			require.Equal(t, http.StatusCreated, created.Code, created.Body)
		})
	}
	// A JSON body may be sent as YAML.
	created := send(http.MethodPost, all, "application/yaml", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"json"},"data":{"a":"&b *b","c":"*b"}}`)
	require.Equal(t, http.StatusCreated, created.Code, created.Body)
	require.Equal(t, "&b *b", Get(t, srv, &ConfigMap{ObjectMeta: named("", "json")}).Data["a"])
}

// utf16Of encodes a text in UTF-16, with the byte order mark by which YAML
// decoders recognize it.
func utf16Of(order binary.AppendByteOrder, text string) string {
	body := order.AppendUint16(nil, 0xFEFF)
	for _, letter := range text {
		body = order.AppendUint16(body, uint16(letter))
	}
	return string(body)
}
