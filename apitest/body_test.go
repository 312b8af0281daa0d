package apitest

import (
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/requestbody"
	"github.com/thinformer/thinformer/apitest/internal/response"
)

// callFor returns a call to a resource without a connection.
func callFor(s *Server, resource schema.GroupVersionResource) *call {
	return &call{server: s, w: httptest.NewRecorder(), r: httptest.NewRequest("POST", "/", nil), resource: s.registry.Find(resource)}
}

// Invalid bodies store nothing, and the response describes the first error.
func TestInvalidBodies(t *testing.T) {
	s := NewServer(Options{PlainHTTP: true, MaxRequestBytes: 1000})
	defer s.Close()
	const target = "POST " + inDefault + "configmaps"
	runSteps(t, s, []step{
		{target, ``, 400, map[string]string{"message": `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`}},
		{target, `{"metadata":`, 400, nil},
		{target, `["a"]`, 400, nil},
		{target, strings.Repeat("[", 900), 400, nil},
		{target, `{"kind":1}`, 400, nil},
		{target, `{"apiVersion":"a/b/c"}`, 400, nil},
		{target, `{"kind":"Pod","apiVersion":"v1"}`, 400, map[string]string{"message": `Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion`}},
		{target, `{"kind":"Nope","apiVersion":"x/v1"}`, 400, map[string]string{"message": `Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "x/v1" in scheme "pkg/runtime/scheme.go:111"`}},
		{target, `{"metadata":{"name":1}}`, 400, map[string]string{"message": `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string`}},
		{target, `{"metadata":[]}`, 400, map[string]string{"message": `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta`}},
		{target, `{"metadata":{"name":"a"},"data":{"a":"` + strings.Repeat("a", 1000) + `"}}`, 413, map[string]string{"reason": "RequestEntityTooLarge"}},
		{target + "?fieldValidation=Strict", `{"metadata":{"name":"a","name":"a"},"foo":1}`, 400, map[string]string{"message": `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "metadata.name", unknown field "foo"`}},
		{target + "?fieldValidation=No", `{"metadata":{"name":"a"}}`, 422, nil},
		{target + "?dryRun=Some", `{"metadata":{"name":"a"}}`, 422, nil},
		{"GET " + inDefault + "configmaps", "", 200, map[string]string{"items": "[]"}},
		{target, `{"metadata":{"name":"a"},"foo":1}`, 201, map[string]string{"foo": "-"}},
	})
}

func TestFindingsAreWarnings(t *testing.T) {
	s := plainServer(t)
	c := callFor(s, configMaps.GroupVersionResource)
	_, err := c.decodeObject([]byte("metadata: {name: a, name: b, bar: 1}\ndata: {a: b}\n"), requestbody.YAML, params.WriteOptions{Validation: "Warn"})
	require.NoError(t, err)
	require.Equal(t, []string{`299 - "line 1: key \"name\" already set in map"`, `299 - "unknown field \"metadata.bar\""`}, c.w.Header().Values("Warning"))
	for range 3 * warningBytes {
		c.warn(strings.Repeat("x", 100) + string(rune('a'+len(c.w.Header().Values("Warning"))%26)))
	}
	require.Less(t, len(strings.Join(c.w.Header().Values("Warning"), "")), warningBytes+1)
}

// Every body is decoded or rejected. Decoding a decoded object again changes
// nothing.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"a":"b"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u","controller":true}],"creationTimestamp":"2020-01-01T01:00:00+01:00"},"spec":{"containers":[{"name":"c","ports":[{"containerPort":1}]}]}}`,
		"metadata:\n  name: a\n  labels: {a: 1}\n", `null`, `{"metadata":null}`, `{"metadata":{"managedFields":[{}],"finalizers":[1]}}`, `[[[`, `{"metadata":{"generation":1.5}}`,
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	s := NewServer(Options{InMemory: true, Seed: 1})
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, body []byte, isYAML bool) {
		encoding := requestbody.JSON
		if isYAML {
			encoding = requestbody.YAML
		}
		c := callFor(s, schema.GroupVersionResource{Version: "v1", Resource: "pods"})
		for _, validation := range []string{"Ignore", "Warn", "Strict"} {
			obj, err := c.decodeObject(body, encoding, params.WriteOptions{Validation: validation})
			if err != nil {
				require.GreaterOrEqual(t, int(response.StatusOf(err).Code), 400)
				require.Less(t, int(response.StatusOf(err).Code), 500)
				continue
			}
			require.IsType(t, map[string]any{}, obj.Object["metadata"])
			again := obj.DeepCopy()
			unknown, err := c.normalize(again.Object)
			require.NoError(t, err)
			require.Empty(t, unknown)
			require.True(t, reflect.DeepEqual(obj.Object, again.Object), "%v\n%v", obj.Object, again.Object)
		}
		_, _ = c.decodeDeleteOptions(body)
	})
}
