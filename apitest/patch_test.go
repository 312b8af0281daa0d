package apitest

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

const (
	jsonPatchType      = "application/json-patch+json"
	mergePatchType     = "application/merge-patch+json"
	strategicPatchType = "application/strategic-merge-patch+json"
	applyType          = "application/apply-patch+yaml"
	jsonType           = "application/json"
)

// send sends a request without a connection. A request is a method and an
// address.
func send(t testing.TB, s *Server, request, contentType, body string) (int, map[string]any, []string) {
	t.Helper()
	method, address, _ := strings.Cut(request, " ")
	req := httptest.NewRequest(method, address, strings.NewReader(body))
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("User-Agent", "curl/8")
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, req)
	var content map[string]any
	_ = utiljson.Unmarshal(rec.Body.Bytes(), &content)
	return rec.Code, content, rec.Header()["Warning"]
}

// must is send for requests that have to succeed.
func must(t testing.TB, s *Server, request, contentType, body string) map[string]any {
	t.Helper()
	code, content, _ := send(t, s, request, contentType, body)
	require.Less(t, code, 300, "%s %s: %v", request, body, content)
	return content
}

const configMapsPath = "/api/v1/namespaces/default/configmaps"

// patchServer returns a server with a config map, a pod and a custom resource,
// all named a.
func patchServer(t testing.TB) *Server {
	s := NewServer(Options{InMemory: true, Seed: 1})
	t.Cleanup(s.Close)
	must(t, s, "POST "+configMapsPath, jsonType, `{"metadata":{"name":"a","labels":{"x":"y"}},"data":{"k":"v"}}`)
	must(t, s, "POST /api/v1/namespaces/default/pods", jsonType, `{"metadata":{"name":"a","finalizers":["a/b"]},"spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}]}}`)
	must(t, s, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", jsonType, fooDefinition)
	must(t, s, "POST /apis/example.com/v1/namespaces/default/foos", jsonType, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a"},"spec":{"color":"red"}}`)
	return s
}

const (
	podPath = "/api/v1/namespaces/default/pods/a"
	fooPath = "/apis/example.com/v1/namespaces/default/foos/a"
)

// API conventions, "Patch operations": the result of each kind of patch.
func TestPatchOfEachKind(t *testing.T) {
	for name, test := range map[string]struct {
		path, contentType, body string
		at, want                string
	}{
		"JSON patch":                  {configMapsPath + "/a", jsonPatchType, `[{"op":"test","path":"/data/k","value":"v"},{"op":"copy","from":"/data/k","path":"/data/c"},{"op":"move","from":"/data/k","path":"/data/m"}]`, "data", `{"c":"v","m":"v"}`},
		"merge patch":                 {configMapsPath + "/a", mergePatchType, `{"data":{"k":null,"n":"1"}}`, "data", `{"n":"1"}`},
		"content type with more":      {configMapsPath + "/a", mergePatchType + "; charset=utf-8", `{"data":{"n":"1"}}`, "data", `{"k":"v","n":"1"}`},
		"strategic, by key":           {podPath, strategicPatchType, `{"spec":{"containers":[{"name":"c","image":"j"}]}}`, "spec.containers", `[{"name":"c","image":"j"},{"name":"d","image":"i"}]`},
		"strategic, of a set":         {podPath, strategicPatchType, `{"metadata":{"finalizers":["c/d"]}}`, "metadata.finalizers", `["c/d","a/b"]`},
		"strategic, deleting an item": {podPath, strategicPatchType, `{"spec":{"containers":[{"name":"c","$patch":"delete"}]}}`, "spec.containers", `[{"name":"d","image":"i"}]`},
		"merge patch of a list":       {podPath, mergePatchType, `{"spec":{"containers":[{"name":"e"}]}}`, "spec.containers", `[{"name":"e"}]`},
		"status and nothing else":     {podPath + "/status", mergePatchType, `{"status":{"phase":"Running"},"spec":{"nodeName":"n"}}`, "spec.nodeName", `null`},
		"custom resource":             {fooPath, mergePatchType, `{"spec":{"color":"blue"}}`, "metadata.generation", `2`},
		"custom resource, pruned":     {fooPath, mergePatchType, `{"spec":{"unknown":1}}`, "metadata.generation", `1`},
		"status of a custom one":      {fooPath + "/status", mergePatchType, `{"spec":{"color":"blue"}}`, "spec.color", `"red"`},
		"scale of a custom one":       {fooPath + "/scale", mergePatchType, `{"spec":{"replicas":3}}`, "spec.replicas", `3`},
		"apply":                       {configMapsPath + "/a?fieldManager=m", applyType, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {q: '1'}\n", "data", `{"k":"v","q":"1"}`},
		"apply, in JSON":              {podPath + "?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"f"}]}}`, "spec.containers", `[{"name":"c","image":"i"},{"name":"d","image":"i"},{"name":"f"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			s := patchServer(t)
			response := must(t, s, "PATCH "+test.path, test.contentType, test.body)
			got, err := json.Marshal(objects.At(response, test.at))
			require.NoError(t, err)
			require.JSONEq(t, test.want, string(got))
			path, _, _ := strings.Cut(test.path, "?")
			require.Equal(t, response, must(t, s, "GET "+path, "", ""), "the response is the stored object")
		})
	}
}

// Rejected patches change nothing, and get the messages of kube-apiserver.
func TestPatchRejected(t *testing.T) {
	s := patchServer(t)
	const rejected = "the server rejected our request due to an error in our request"
	for _, test := range []struct {
		path, contentType, body string
		code                    int
		message                 string
	}{
		{"/a", jsonPatchType, `[{"op":"test","path":"/data/k","value":"z"}]`, 422, rejected},
		{"/a", jsonPatchType, `[{"op":"remove","path":"/data/nope"}]`, 422, rejected},
		{"/a", jsonPatchType, `[{"op":"frob","path":"/data/nope"}]`, 422, rejected},
		{"/a", jsonPatchType, `{"op":"frob"}`, 400, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"},
		{"/a?fieldValidation=Ignore", jsonPatchType, `{}`, 400, "json: cannot unmarshal object into Go value of type jsonpatch.Patch"},
		{"/a", jsonPatchType, `xx`, 400, "invalid JSON patch"},
		{"/a", jsonPatchType, `[{"op":"replace","path":"","value":3}]`, 422, rejected},
		{"/a", jsonPatchType, `[` + strings.Repeat(`{"op":"test","path":"/kind","value":"ConfigMap"},`, 10_000) + `{}]`, 413, "The allowed maximum operations in a JSON patch is 10000, got 10001"},
		{"/a?fieldValidation=Strict", jsonPatchType, `[{"op":"test","path":"/data/k","value":"v","foo":1}]`, 422, `strict decoding error: json patch unknown field "[0].foo"`},
		{"/a", mergePatchType, `xx`, 400, "invalid JSON patch"},
		{"/a", mergePatchType, `[]`, 400, "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{"/a?fieldValidation=Strict", mergePatchType, `{"dta":{"k":"1"},"data":{"a":"1","a":"2"}}`, 422, `strict decoding error: duplicate field "data.a", unknown field "dta"`},
		{"/a?fieldValidation=Bogus", mergePatchType, `{}`, 422, `PatchOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Bogus"`},
		{"/a?force=true", mergePatchType, `{}`, 422, `PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch`},
		{"/a", mergePatchType, `{"metadata":{"resourceVersion":"1"}}`, 409, `Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again`},
		{"/a", mergePatchType, `{"metadata":{"name":"b"}}`, 400, "the name of the object (b) does not match the name on the URL (a)"},
		{"/a", mergePatchType, `{"metadata":{"namespace":"b"}}`, 400, "the namespace of the provided object does not match the namespace sent on the request"},
		{"/a", mergePatchType, `{"metadata":{"uid":"b"}}`, 422, `ConfigMap "a" is invalid: metadata.uid: Invalid value: "b": field is immutable`},
		{"/a", mergePatchType, `{"metadata":null}`, 400, "the name of the object (a based on URL) was undeterminable: name must be provided"},
		{"/a", mergePatchType, `{"metadata":{"labels":{"-":"-"}}}`, 422, `ConfigMap "a" is invalid: [metadata.labels: Invalid value: "-"`},
		{"/a", mergePatchType, `{"apiVersion":"v2"}`, 422, `no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"`},
		{"/nope", mergePatchType, `{}`, 404, `configmaps "nope" not found`},
		{"/nope", jsonPatchType, `xx`, 400, "invalid JSON patch"},
		{"", mergePatchType, `{}`, 405, "the server does not allow this method on the requested resource"},
		{"/a", jsonType, `{}`, 415, "415: Unsupported Media Type"},
		{"/a", "application/apply-patch+cbor", `{}`, 415, "415: Unsupported Media Type"},
		{"/a", strategicPatchType, `xx`, 400, "invalid JSON patch"},
		{"/a", strategicPatchType, `{"$patch":"frob"}`, 500, `unknown patch type: frob`},
		{"/a?fieldValidation=Strict", strategicPatchType, `{"dta":1}`, 422, `strict decoding error: unknown field "dta"`},
		{"/a", applyType, `{}`, 422, `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}`, 400, "invalid object type: /v1, Kind=Secret"},
		{"/a?fieldManager=m", applyType, `[]`, 400, "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{"/a?fieldManager=m", applyType, `a: b: c`, 400, "error encoding patch: yaml: mapping values are not allowed in this context"},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"dta":{}}`, 500, "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .dta: field not declared in schema"},
		{"/a?fieldManager=m&fieldValidation=Strict", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","x":"2"}}`, 400, "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: key \"x\" already set in map"},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","managedFields":[]}}`, 400, "metadata.managedFields must be nil"},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"1"}}`, 409, `Operation cannot be fulfilled on configmaps "a": the object has been modified`},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"z"}}`, 409, `Apply failed with 1 conflict: conflict with "curl" using v1: .data.k`},
		{"/new?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new","uid":"1"}}`, 409, `Operation cannot be fulfilled on configmaps "new": uid mismatch: the provided object specified uid 1, and no existing object was found`},
		{"/new?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap"}`, 400, "the name of the object (new based on URL) was undeterminable: name must be provided"},
	} {
		before := must(t, s, "GET "+configMapsPath+"/a", "", "")
		code, response, _ := send(t, s, "PATCH "+configMapsPath+test.path, test.contentType, test.body)
		require.Equal(t, test.code, code, "%s %.100s: %v", test.path, test.body, response["message"])
		require.Contains(t, response["message"], test.message, "%s %.100s", test.path, test.body)
		require.Equal(t, before, must(t, s, "GET "+configMapsPath+"/a", "", ""))
	}
}

// Custom resources do not support strategic merge patches, and have other
// messages.
func TestPatchOfCustomResourceRejected(t *testing.T) {
	s := patchServer(t)
	const accepted = "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
	for _, test := range []struct {
		path, contentType, body string
		code                    int
		message                 string
	}{
		{"", strategicPatchType, `{}`, 415, accepted},
		{"", "application/apply-patch+cbor", `{}`, 415, accepted},
		{"", mergePatchType, `{"kind":"b"}`, 422, `b.example.com "a" is invalid: kind: Invalid value: "b": must be Foo`},
		{"", mergePatchType, `{"apiVersion":"b"}`, 422, `Foo "a" is invalid: apiVersion: Invalid value: "b": must be example.com/v1`},
		{"?fieldManager=m", applyType, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a"},"spec":{"x":1}}`, 500, "failed to create typed patch object (/a; example.com/v1, Kind=Foo): .spec.x: field not declared in schema"},
		{"/scale?fieldManager=m", applyType, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":1}}`, 500, "failed to create manager for existing fields"},
		{"/scale", mergePatchType, `{"spec":{"replicas":"x"}}`, 422, "json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32"},
	} {
		code, response, _ := send(t, s, "PATCH "+fooPath+test.path, test.contentType, test.body)
		require.Equal(t, test.code, code, "%s: %v", test.body, response["message"])
		require.Contains(t, response["message"], test.message, test.body)
	}
}

// A patch without changes assigns no version and no manager. A dry run gets a
// response and is not stored. Unknown fields cause warnings.
func TestPatchWithoutChange(t *testing.T) {
	s := patchServer(t)
	before := must(t, s, "GET "+configMapsPath+"/a", "", "")
	require.Equal(t, before, must(t, s, "PATCH "+configMapsPath+"/a?fieldManager=other", mergePatchType, `{"data":{"k":"v"}}`))
	require.Equal(t, before, must(t, s, "PATCH "+configMapsPath+"/a?fieldManager=other", jsonPatchType, `[]`))

	tried := must(t, s, "PATCH "+configMapsPath+"/a?dryRun=All", mergePatchType, `{"data":{"k":"w"}}`)
	require.Equal(t, "w", objects.At(tried, "data.k"))
	require.Equal(t, before, must(t, s, "GET "+configMapsPath+"/a", "", ""))

	_, _, warnings := send(t, s, "PATCH "+configMapsPath+"/a", mergePatchType, `{"dta":1}`)
	require.Equal(t, []string{`299 - "unknown field \"dta\""`}, warnings)
	_, _, warnings = send(t, s, "PATCH "+configMapsPath+"/a?fieldValidation=Ignore", mergePatchType, `{"dta":1}`)
	require.Empty(t, warnings)
	require.Equal(t, before, must(t, s, "GET "+configMapsPath+"/a", "", ""))
}

// A patch can remove all managers of an object.
func TestPatchResetsManagers(t *testing.T) {
	s := patchServer(t)
	for _, reset := range []string{`[]`, `[{}]`} {
		must(t, s, "PATCH "+configMapsPath+"/a?fieldManager=m&force=true", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"`+reset+`"}}`)
		response := must(t, s, "PATCH "+configMapsPath+"/a", mergePatchType, `{"metadata":{"managedFields":`+reset+`}}`)
		require.Nil(t, objects.At(response, "metadata.managedFields"))
	}
}

// Concurrent patches without a version all succeed.
func TestConcurrentPatches(t *testing.T) {
	s := patchServer(t)
	var all sync.WaitGroup
	for writer := range 8 {
		all.Go(func() {
			for i := range 20 {
				code, response, _ := send(t, s, "PATCH "+configMapsPath+"/a", mergePatchType, fmt.Sprintf(`{"data":{"w%d":"%d"}}`, writer, i))
				if code != 200 {
					t.Errorf("%d %v", code, response)
				}
			}
		})
	}
	all.Wait()
	data := must(t, s, "GET "+configMapsPath+"/a", "", "")["data"].(map[string]any)
	for writer := range 8 {
		require.Equal(t, "19", data[fmt.Sprintf("w%d", writer)])
	}
}

func encoded(t testing.TB, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return text
}

// After any patch, the object is valid under its name, and the server works.
func FuzzPatch(f *testing.F) {
	for i, body := range []string{`[{"op":"add","path":"/data/x","value":"y"}]`, `{"metadata":{"finalizers":["a/b"],"managedFields":[{}]},"data":null}`, `{"spec":{"containers":[{"name":"c","$patch":"delete"}]},"$setElementOrder/x":[1]}`, "apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {a: b}}"} {
		f.Add(uint8(i), uint8(i), body)
	}
	s := patchServer(f)
	f.Fuzz(func(t *testing.T, kind, path uint8, body string) {
		types := []string{jsonPatchType, mergePatchType, strategicPatchType, applyType}
		paths := []string{configMapsPath + "/a", podPath, fooPath, podPath + "/status", fooPath + "/status", fooPath + "/scale"}
		at := paths[int(path)%len(paths)]
		code, response, _ := send(t, s, "PATCH "+at+"?fieldManager=fuzz&force="+fmt.Sprint(kind%4 == 3), types[kind%4], body)
		if code == 500 && response["message"] == nil {
			t.Fatalf("internal error: %v", response)
		}
		for _, path := range paths[:3] {
			code, now, _ := send(t, s, "GET "+path, "", "")
			require.Equal(t, 200, code)
			require.Equal(t, "a", now["metadata"].(map[string]any)["name"])
		}
	})
}
