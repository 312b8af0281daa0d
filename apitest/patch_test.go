package apitest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

const (
	jsonPatchType      = "application/json-patch+json"
	mergePatchType     = "application/merge-patch+json"
	strategicPatchType = "application/strategic-merge-patch+json"
	applyType          = "application/apply-patch+yaml"
	jsonType           = "application/json"
)

// send makes a request past any connection. A request is a method and an
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

// must is send for what has to succeed.
func must(t testing.TB, s *Server, request, contentType, body string) map[string]any {
	t.Helper()
	code, content, _ := send(t, s, request, contentType, body)
	require.Less(t, code, 300, "%s %s: %v", request, body, content)
	return content
}

const configMapsPath = "/api/v1/namespaces/default/configmaps"

// patchServer has a config map, a pod and a custom resource, all named a.
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

// API conventions, "Patch operations": what each kind of patch makes of an
// object.
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
			answer := must(t, s, "PATCH "+test.path, test.contentType, test.body)
			got, err := json.Marshal(at(answer, test.at))
			require.NoError(t, err)
			require.JSONEq(t, test.want, string(got))
			path, _, _ := strings.Cut(test.path, "?")
			require.Equal(t, answer, must(t, s, "GET "+path, "", ""), "what is answered is what is stored")
		})
	}
}

// Patches that are refused change nothing, and are told so in the words of
// kube-apiserver.
func TestPatchRefused(t *testing.T) {
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
		{"/a", jsonPatchType, `xx`, 400, "error decoding patch: invalid character 'x' looking for beginning of value"},
		{"/a", jsonPatchType, `[{"op":"replace","path":"","value":3}]`, 422, rejected},
		{"/a", jsonPatchType, `[` + strings.Repeat(`{"op":"test","path":"/kind","value":"ConfigMap"},`, 10_000) + `{}]`, 413, "The allowed maximum operations in a JSON patch is 10000, got 10001"},
		{"/a?fieldValidation=Strict", jsonPatchType, `[{"op":"test","path":"/data/k","value":"v","foo":1}]`, 422, `strict decoding error: json patch unknown field "[0].foo"`},
		{"/a", mergePatchType, `xx`, 400, "error decoding patch: invalid character 'x' looking for beginning of value"},
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
		{"/nope", jsonPatchType, `xx`, 404, `configmaps "nope" not found`},
		{"", mergePatchType, `{}`, 405, "the server does not allow this method on the requested resource"},
		{"/a", jsonType, `{}`, 415, "415: Unsupported Media Type"},
		{"/a", "application/apply-patch+cbor", `{}`, 415, "415: Unsupported Media Type"},
		{"/a", strategicPatchType, `xx`, 400, "invalid character 'x' looking for beginning of value"},
		{"/a", strategicPatchType, `{"$patch":"frob"}`, 500, `unknown patch type: frob`},
		{"/a?fieldValidation=Strict", strategicPatchType, `{"dta":1}`, 422, `strict decoding error: unknown field "dta"`},
		{"/a", applyType, `{}`, 422, `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}`, 400, "invalid object type: /v1, Kind=Secret"},
		{"/a?fieldManager=m", applyType, `[]`, 400, "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{"/a?fieldManager=m", applyType, `a: b: c`, 400, "error decoding YAML: error converting YAML to JSON: yaml: mapping values are not allowed in this context"},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"dta":{}}`, 500, "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .dta: field not declared in schema"},
		{"/a?fieldManager=m&fieldValidation=Strict", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","x":"2"}}`, 400, "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: key \"x\" already set in map"},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","managedFields":[]}}`, 400, "metadata.managedFields must be nil"},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"1"}}`, 409, `Operation cannot be fulfilled on configmaps "a": the object has been modified`},
		{"/a?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"z"}}`, 409, `Apply failed with 1 conflict: conflict with "curl" using v1: .data.k`},
		{"/new?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new","uid":"1"}}`, 409, `Operation cannot be fulfilled on configmaps "new": uid mismatch: the provided object specified uid 1, and no existing object was found`},
		{"/new?fieldManager=m", applyType, `{"apiVersion":"v1","kind":"ConfigMap"}`, 400, "the name of the object (new based on URL) was undeterminable: name must be provided"},
	} {
		before := must(t, s, "GET "+configMapsPath+"/a", "", "")
		code, answer, _ := send(t, s, "PATCH "+configMapsPath+test.path, test.contentType, test.body)
		require.Equal(t, test.code, code, "%s %.100s: %v", test.path, test.body, answer["message"])
		require.Contains(t, answer["message"], test.message, "%s %.100s", test.path, test.body)
		require.Equal(t, before, must(t, s, "GET "+configMapsPath+"/a", "", ""))
	}
}

// Custom resources have no strategic merge, and other words for what is wrong.
func TestPatchOfCustomResourceRefused(t *testing.T) {
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
		code, answer, _ := send(t, s, "PATCH "+fooPath+test.path, test.contentType, test.body)
		require.Equal(t, test.code, code, "%s: %v", test.body, answer["message"])
		require.Contains(t, answer["message"], test.message, test.body)
	}
}

// A patch that changes nothing gives no new version and no new manager; one
// that is tried out is answered and not stored; what has no meaning is warned of.
func TestPatchWithoutConsequence(t *testing.T) {
	s := patchServer(t)
	before := must(t, s, "GET "+configMapsPath+"/a", "", "")
	require.Equal(t, before, must(t, s, "PATCH "+configMapsPath+"/a?fieldManager=other", mergePatchType, `{"data":{"k":"v"}}`))
	require.Equal(t, before, must(t, s, "PATCH "+configMapsPath+"/a?fieldManager=other", jsonPatchType, `[]`))

	tried := must(t, s, "PATCH "+configMapsPath+"/a?dryRun=All", mergePatchType, `{"data":{"k":"w"}}`)
	require.Equal(t, "w", at(tried, "data.k"))
	require.Equal(t, before, must(t, s, "GET "+configMapsPath+"/a", "", ""))

	_, _, warnings := send(t, s, "PATCH "+configMapsPath+"/a", mergePatchType, `{"dta":1}`)
	require.Equal(t, []string{`299 - "unknown field \"dta\""`}, warnings)
	_, _, warnings = send(t, s, "PATCH "+configMapsPath+"/a?fieldValidation=Ignore", mergePatchType, `{"dta":1}`)
	require.Empty(t, warnings)
	require.Equal(t, before, must(t, s, "GET "+configMapsPath+"/a", "", ""))
}

// The fields of an object can be given up by all of its managers.
func TestPatchResetsManagers(t *testing.T) {
	s := patchServer(t)
	for _, reset := range []string{`[]`, `[{}]`} {
		must(t, s, "PATCH "+configMapsPath+"/a?fieldManager=m&force=true", applyType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"`+reset+`"}}`)
		answer := must(t, s, "PATCH "+configMapsPath+"/a", mergePatchType, `{"metadata":{"managedFields":`+reset+`}}`)
		require.Nil(t, at(answer, "metadata.managedFields"))
	}
}

// Patches that name no version do not get into each other's way.
func TestPatchesOfMany(t *testing.T) {
	s := patchServer(t)
	var all sync.WaitGroup
	for writer := range 8 {
		all.Go(func() {
			for i := range 20 {
				code, answer, _ := send(t, s, "PATCH "+configMapsPath+"/a", mergePatchType, fmt.Sprintf(`{"data":{"w%d":"%d"}}`, writer, i))
				if code != 200 {
					t.Errorf("%d %v", code, answer)
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

// Copies that double a document are stopped before they have used up all memory.
func TestJSONPatchDoesNotExplode(t *testing.T) {
	var steps []string
	for i := range 64 {
		steps = append(steps, fmt.Sprintf(`{"op":"copy","from":"/data","path":"/data/x%d"}`, i))
	}
	_, _, err := jsonPatch([]byte(`{"data":{"k":"`+strings.Repeat("v", 1000)+`"}}`), []byte("["+strings.Join(steps, ",")+"]"), true)
	require.ErrorContains(t, err, "rejected")
}

// wild makes documents and patches at random, out of few names, so that they
// meet.
type wild struct{ *rand.Rand }

func (w wild) value(depth int, nulls bool) any {
	switch n := w.IntN(8); {
	case n < 3 && depth > 0:
		return w.object(depth, nulls)
	case n == 3 && depth > 0:
		list := []any{}
		for range w.IntN(3) {
			list = append(list, w.value(depth-1, false))
		}
		return list
	case n == 4 && nulls:
		return nil
	case n == 5:
		return int64(w.IntN(3))
	}
	return []string{"x", "y", ""}[w.IntN(3)]
}

func (w wild) object(depth int, nulls bool) map[string]any {
	made := map[string]any{}
	for range w.IntN(4) {
		made[[]string{"a", "b", "c/d", "~"}[w.IntN(4)]] = w.value(depth-1, nulls)
	}
	return made
}

// mergedPlainly is RFC 7386 as it is written.
func mergedPlainly(target, patch any) any {
	fields, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	into, ok := target.(map[string]any)
	if !ok {
		into = map[string]any{}
	}
	for name, value := range fields {
		if value == nil {
			delete(into, name)
		} else {
			into[name] = mergedPlainly(into[name], value)
		}
	}
	return into
}

func encoded(t testing.TB, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return text
}

// RFC 7386: against its pseudocode.
func TestMergePatchIsTheRFC(t *testing.T) {
	for seed := range uint64(2000) {
		w := wild{rand.New(rand.NewPCG(seed, 1))}
		document, patch := encoded(t, w.object(4, false)), encoded(t, w.object(4, true))
		got, _, err := mergePatch(document, patch, true)
		require.NoError(t, err, "seed %d", seed)
		var target, change any
		require.NoError(t, json.Unmarshal(document, &target))
		require.NoError(t, json.Unmarshal(patch, &change))
		require.JSONEq(t, string(encoded(t, mergedPlainly(target, change))), string(got), "seed %d: %s patched with %s", seed, document, patch)
	}
}

// RFC 6902: adding, replacing and removing members, against doing so. Like the
// real server, and unlike the RFC, it replaces what is not there.
func TestJSONPatchIsTheRFC(t *testing.T) {
	for seed := range uint64(2000) {
		w := wild{rand.New(rand.NewPCG(seed, 2))}
		document := w.object(3, false)
		before := encoded(t, document)
		var steps []map[string]any
		fails := false
		for range 1 + w.IntN(4) {
			name := []string{"a", "b", "c/d", "~"}[w.IntN(4)]
			_, there := document[name]
			step := map[string]any{"op": []string{"add", "replace", "remove", "test"}[w.IntN(4)], "path": "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)}
			value := w.value(2, false)
			switch step["op"] {
			case "add", "replace":
				step["value"], document[name] = value, value
			case "remove":
				fails = fails || !there
				delete(document, name)
			case "test":
				fails = fails || !there || string(encoded(t, value)) != string(encoded(t, document[name]))
				step["value"] = value
			}
			steps = append(steps, step)
			if fails {
				break
			}
		}
		got, _, err := jsonPatch(before, encoded(t, steps), true)
		if fails {
			require.Error(t, err, "seed %d: %s patched with %s", seed, before, encoded(t, steps))
			continue
		}
		require.NoError(t, err, "seed %d: %s patched with %s", seed, before, encoded(t, steps))
		require.JSONEq(t, string(encoded(t, document)), string(got), "seed %d", seed)
	}
}

// Whatever is sent as a patch, the object stays one, under its name, and the
// server in order.
func FuzzPatch(f *testing.F) {
	for i, body := range []string{`[{"op":"add","path":"/data/x","value":"y"}]`, `{"metadata":{"finalizers":["a/b"],"managedFields":[{}]},"data":null}`, `{"spec":{"containers":[{"name":"c","$patch":"delete"}]},"$setElementOrder/x":[1]}`, "apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {a: b}}"} {
		f.Add(uint8(i), uint8(i), body)
	}
	s := patchServer(f)
	f.Fuzz(func(t *testing.T, kind, path uint8, body string) {
		types := []string{jsonPatchType, mergePatchType, strategicPatchType, applyType}
		paths := []string{configMapsPath + "/a", podPath, fooPath, podPath + "/status", fooPath + "/status", fooPath + "/scale"}
		at := paths[int(path)%len(paths)]
		code, answer, _ := send(t, s, "PATCH "+at+"?fieldManager=fuzz&force="+fmt.Sprint(kind%4 == 3), types[kind%4], body)
		if code == 500 && answer["message"] == nil {
			t.Fatalf("the server broke: %v", answer)
		}
		for _, path := range paths[:3] {
			code, now, _ := send(t, s, "GET "+path, "", "")
			require.Equal(t, 200, code)
			require.Equal(t, "a", now["metadata"].(map[string]any)["name"])
		}
	})
}

// RFC 6902, "copy": what copies can make of a document, and what it costs to see
// that, is bounded.
func TestCopiesAreBounded(t *testing.T) {
	copies := func(n int, from string) []byte {
		steps := make([]string, n)
		for i := range steps {
			steps[i] = fmt.Sprintf(`{"op":"copy","from":%q,"path":"/c%d"}`, from, i)
		}
		return []byte("[" + strings.Join(steps, ",") + "]")
	}
	large := []byte(`{"a":"b","l":"` + strings.Repeat("x", 1<<20) + `"}`)
	for _, c := range []struct {
		name            string
		document, patch []byte
		wrong           string
	}{
		{"thousands", []byte(`{"a":"b"}`), copies(2000, "/a"), ""},
		{"some in a large document", large, copies(20, "/a"), ""},
		{"of most of a large document", large, copies(4, "/l"), "more than 3145728"},
		{"thousands in a large document", large, copies(maxPatchOperations, "/a"), "more than 16777216"},
	} {
		steps, err := jsonpatch.DecodePatch(c.patch)
		require.NoError(t, err)
		after, err := applySteps(c.document, steps)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		var read map[string]any
		require.NoError(t, json.Unmarshal(after, &read), c.name)
		require.Equal(t, "b", read[fmt.Sprintf("c%d", len(steps)-1)], c.name)
	}
}
