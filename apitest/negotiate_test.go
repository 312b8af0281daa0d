package apitest

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/column"
)

// The header Accept is read as RFC 9110 (12.5.1) has it: by quality, and what is
// said exactly before what is not.
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
		f, err := negotiate(r, builtinResource("Pod"), "get")
		if c.words != "" {
			require.EqualError(t, err, c.words)
			require.EqualValues(t, 406, statusOf(err).Code)
			continue
		}
		require.NoError(t, err, c.accept)
		require.Equal(t, c.yaml, f.yaml, c.accept)
		require.Equal(t, c.as, f.as.Kind, c.accept)
	}
}

// A watch is a stream of JSON, and no list of YAML documents.
func TestNegotiationOfWatches(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept", "application/yaml")
	_, err := negotiate(r, builtinResource("Pod"), "watch")
	require.EqualError(t, err, "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch")
	r.Header.Set("Accept", "text/html")
	_, err = negotiate(r, builtinResource("Pod"), "watch")
	require.ErrorContains(t, err, "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch")
}

// Answers are indented for people, whose programs are known by their names.
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

// Only long answers are compressed, and only for those who can read it.
func TestCompression(t *testing.T) {
	for _, c := range []struct {
		coding string
		size   int
		want   bool
	}{{"gzip", worthZipping + 1, true}, {"br, gzip", worthZipping + 1, true}, {"gzip", worthZipping, false}, {"", worthZipping + 1, false}, {"br", worthZipping + 1, false}} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", c.coding)
		answer := httptest.NewRecorder()
		out := newOutput(answer, r, http.StatusOK, mimeJSON)
		text := strings.Repeat("x", c.size)
		for part := text; part != ""; part = part[min(len(part), 1000):] {
			_, err := out.Write([]byte(part[:min(len(part), 1000)]))
			require.NoError(t, err)
		}
		require.NoError(t, out.Close())
		require.Equal(t, c.want, answer.Header().Get("Content-Encoding") == "gzip", "%+v", c)
		var body io.Reader = answer.Body
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

// An object is shown whole, as its metadata, or as the row of a table; a custom
// resource in the version that was asked for.
func TestObjectsInEachForm(t *testing.T) {
	stored := []byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"resourceVersion":"7","name":"x","labels":{"a":"}"}},"spec":{"color":"red"}}`)
	res := &resource{custom: true, columns: []column.Column{{Name: "Color", Type: "string", JSONPath: ".spec.color"}}}
	res.Group, res.Version, res.Kind = "example.com", "v2", "Widget"
	for as, want := range map[string]string{
		"":                      `{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"resourceVersion":"7","name":"x","labels":{"a":"}"}},"spec":{"color":"red"}}`,
		"PartialObjectMetadata": `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7","name":"x","labels":{"a":"}"}}}`,
	} {
		f := &format{}
		f.as.Kind, f.as.Version = as, "v1"
		got, err := f.object(res, stored)
		require.NoError(t, err)
		require.JSONEq(t, want, string(got))
	}
	f := &format{include: metav1.IncludeNone}
	f.as.Kind, f.as.Version = "Table", "v1"
	got, err := f.object(res, stored)
	require.NoError(t, err)
	require.Contains(t, string(got), `"rows":[{"cells":["x","red"],"object":null}]`)
	require.Contains(t, string(got), `"metadata":{"resourceVersion":"7"}`)
	require.Contains(t, string(got), `"name":"Color"`)
	got, err = f.object(res, stored)
	require.NoError(t, err)
	require.Contains(t, string(got), `"columnDefinitions":null`, "in a watch they come once")

	scale := []byte(`{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"x"},"spec":{"replicas":1}}`)
	got, err = new(format).object(res, scale)
	require.NoError(t, err)
	require.Equal(t, string(scale), string(got), "what is of another kind stays what it is")
	f = &format{}
	f.as.Kind, f.as.Version = "PartialObjectMetadata", "v1"
	got, err = f.object(res, scale)
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
		if _, err := negotiate(r, builtinResource("Pod"), "get"); err != nil {
			require.EqualValues(t, 406, statusOf(err).Code)
		}
	})
}
