package response

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/internal/column"
	"github.com/thinformer/thinformer/internal/kinds"
)

// The Accept header is evaluated according to RFC 9110 (12.5.1): by quality,
// and specific types before wildcards.
func TestNegotiation(t *testing.T) {
	const partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	const table = "application/json;as=Table;g=meta.k8s.io;v=v1"
	for _, c := range []struct {
		accept string
		yaml   bool
		as     string
		words  string
	}{
		{"", false, "", ""}, {"*/*", false, "", ""}, {"application/json", false, "", ""}, {"application/yaml", true, "", ""},
		{"application/yaml;q=0.5,application/json;q=0.9", false, "", ""}, {"*/*,application/yaml", true, "", ""},
		{"application/json;q=0.1,application/yaml", true, "", ""}, {"text/html, application/json ;q=0.9", false, "", ""},
		{partial, false, "PartialObjectMetadata", ""}, {table + "," + "application/json", false, "Table", ""},
		{"application/json;as=Table;g=meta.k8s.io;v=v2,application/json", false, "", ""},
		{"application/json;as=Foo;g=meta.k8s.io;v=v1,application/yaml", true, "", ""},
		{"application/vnd.kubernetes.protobuf,application/json", false, "", ""},
		{"application/json;stream=watch", false, "", ""},
		{"application/json;stream=other", false, "", "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"application/json;as=Foo;g=meta.k8s.io;v=v1", false, "", "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"application/vnd.kubernetes.protobuf", false, "", "only the following media types are accepted: application/json, application/yaml"},
		{"text/html", false, "", "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"application/*", false, "", "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{strings.Replace(partial, "Metadata", "MetadataList", 1), false, "", "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Pod)"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", c.accept)
		f, err := Negotiate(r, registry.NewBuiltin(kinds.Find(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})), "get")
		if c.words != "" {
			require.EqualError(t, err, c.words)
			require.EqualValues(t, 406, StatusOf(err).Code)
			continue
		}
		require.NoError(t, err, c.accept)
		require.Equal(t, c.yaml, f.YAML, c.accept)
		require.Equal(t, c.as, f.Target.Kind, c.accept)
	}
}

// A watch is a stream of JSON, never of YAML.
func TestNegotiationOfWatches(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept", "application/yaml")
	_, err := Negotiate(r, registry.NewBuiltin(kinds.Find(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})), "watch")
	require.EqualError(t, err, "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch")
	r.Header.Set("Accept", "text/html")
	_, err = Negotiate(r, registry.NewBuiltin(kinds.Find(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})), "watch")
	require.ErrorContains(t, err, "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch")
}

// Responses are indented for programs that people use, by their User-Agent.
func TestPretty(t *testing.T) {
	for _, c := range []struct {
		query, agent string
		want         bool
	}{
		{"", "client/1", false}, {"pretty=true", "client/1", true}, {"pretty=1", "", true}, {"pretty=maybe", "curl/8", false}, {"pretty=false", "curl/8", false}, {"", "curl/8", true}, {"", "Mozilla/5.0 (X11)", true},
	} {
		r := httptest.NewRequest("GET", "/?"+c.query, nil)
		r.Header.Set("User-Agent", c.agent)
		require.Equal(t, c.want, isPretty(r), "%+v", c)
	}
}

// Only long responses are compressed, and only for clients that accept gzip.
func TestCompression(t *testing.T) {
	for _, c := range []struct {
		coding string
		size   int
		want   bool
	}{{"gzip", minGzipBytes + 1, true}, {"br, gzip", minGzipBytes + 1, true}, {"gzip", minGzipBytes, false}, {"", minGzipBytes + 1, false}, {"br", minGzipBytes + 1, false}} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", c.coding)
		recorder := httptest.NewRecorder()
		out := NewOutput(recorder, r, http.StatusOK, MediaTypeJSON)
		text := strings.Repeat("x", c.size)
		for part := text; part != ""; part = part[min(len(part), 1000):] {
			_, err := out.Write([]byte(part[:min(len(part), 1000)]))
			require.NoError(t, err)
		}
		require.NoError(t, out.Close())
		require.Equal(t, c.want, recorder.Header().Get("Content-Encoding") == "gzip", "%+v", c)
		var body io.Reader = recorder.Body
		if c.want {
			var err error
			body, err = gzip.NewReader(body)
			require.NoError(t, err)
		}
		got, err := io.ReadAll(body)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
}

// An object is returned whole, as its metadata, or as the row of a table; a
// custom resource in the requested version.
func TestObjectsInEachForm(t *testing.T) {
	stored := []byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"resourceVersion":"7","name":"x","labels":{"a":"}"}},"spec":{"color":"red"}}`)
	res := &registry.Resource{Custom: true, Columns: []column.Column{{Name: "Color", Type: "string", JSONPath: ".spec.color"}}}
	res.Group, res.Version, res.Kind = "example.com", "v2", "Widget"
	for kind, want := range map[string]string{
		"":                      `{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"resourceVersion":"7","name":"x","labels":{"a":"}"}},"spec":{"color":"red"}}`,
		"PartialObjectMetadata": `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7","name":"x","labels":{"a":"}"}}}`,
	} {
		f := &Format{}
		f.Target.Kind, f.Target.Version = kind, "v1"
		got, err := f.Object(res, stored)
		require.NoError(t, err)
		require.JSONEq(t, want, string(got))
	}
	f := &Format{Include: metav1.IncludeNone}
	f.Target.Kind, f.Target.Version = "Table", "v1"
	got, err := f.Object(res, stored)
	require.NoError(t, err)
	require.Contains(t, string(got), `"rows":[{"cells":["x","red"],"object":null}]`)
	require.Contains(t, string(got), `"metadata":{"resourceVersion":"7"}`)
	require.Contains(t, string(got), `"name":"Color"`)
	got, err = f.Object(res, stored)
	require.NoError(t, err)
	require.Contains(t, string(got), `"columnDefinitions":null`, "a watch sends the columns once")

	scale := []byte(`{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"x"},"spec":{"replicas":1}}`)
	got, err = new(Format).Object(res, scale)
	require.NoError(t, err)
	require.Equal(t, string(scale), string(got), "text of another kind is unchanged")
	f = &Format{}
	f.Target.Kind, f.Target.Version = "PartialObjectMetadata", "v1"
	got, err = f.Object(res, scale)
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"x"}}`, string(got))
}

func FuzzAccept(f *testing.F) {
	f.Add("application/json;as=Table;g=meta.k8s.io;v=v1;q=0.5, */*, a/b;;=;q=x")
	f.Fuzz(func(t *testing.T, header string) {
		all := parseAccept(header)
		for i := range all[:max(0, len(all)-1)] {
			require.False(t, all[i].quality < all[i+1].quality)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", header)
		if _, err := Negotiate(r, registry.NewBuiltin(kinds.Find(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})), "get"); err != nil {
			require.EqualValues(t, 406, StatusOf(err).Code)
		}
	})
}
