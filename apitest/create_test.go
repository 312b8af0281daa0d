package apitest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// exchange sends one request to a server and returns the code and the body.
func exchange(t testing.TB, s *Server, request, body string) (int, map[string]any) {
	t.Helper()
	method, address, _ := strings.Cut(request, " ")
	config := s.Config()
	client := &http.Client{Transport: &http.Transport{DialContext: config.Dial, DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+address, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("User-Agent", "writes/1")
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	var content map[string]any
	_ = utiljson.Unmarshal(text, &content)
	return res.StatusCode, content
}

func plainServer(t testing.TB) *Server {
	t.Helper()
	s := NewServer(Options{PlainHTTP: true, Seed: 1})
	t.Cleanup(s.Close)
	return s
}

// step is a request and the expected parts of its response.
type step struct {
	request, body string
	code          int
	// has maps paths in the response to values, as text; "-" is an absent one.
	has map[string]string
}

func runSteps(t *testing.T, s *Server, steps []step) {
	t.Helper()
	for _, step := range steps {
		code, response := exchange(t, s, step.request, step.body)
		require.Equal(t, step.code, code, "%s %s: %v", step.request, step.body, response)
		for path, want := range step.has {
			require.Equal(t, want, asText(objects.At(response, path)), "%s %s: %s of %v", step.request, step.body, path, response)
		}
	}
}

func asText(value any) string {
	if value == nil {
		return "-"
	}
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := utiljson.Marshal(value)
	return string(text)
}

const inDefault = "/api/v1/namespaces/default/"

// API conventions, "Metadata": the server sets fields of a new object, and
// ignores the values of its creator.
func TestCreateSetsMetadata(t *testing.T) {
	runSteps(t, plainServer(t), []step{
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"a","uid":"x","selfLink":"y","deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":5,"creationTimestamp":"2020-01-01T00:00:00Z","labels":{}},"data":{"a":"b"}}`, 201,
			map[string]string{"kind": "ConfigMap", "apiVersion": "v1", "metadata.namespace": "default", "metadata.selfLink": "-", "metadata.deletionTimestamp": "-", "metadata.deletionGracePeriodSeconds": "-", "metadata.labels": "-", "data.a": "b"}},
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"a"}}`, 409, map[string]string{"reason": "AlreadyExists", "message": `configmaps "a" already exists`}},
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"b","resourceVersion":"7"}}`, 500, map[string]string{"message": "resourceVersion should not be set on objects to be created"}},
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"b","namespace":"other"}}`, 400, map[string]string{"message": "the namespace of the provided object does not match the namespace sent on the request"}},
		{"POST /api/v1/namespaces/none/configmaps", `{"metadata":{"name":"b"}}`, 404, map[string]string{"message": `namespaces "none" not found`}},
		{"POST " + inDefault + "pods", `{"metadata":{"name":"p","generation":9},"status":{"phase":"Running"}}`, 201, map[string]string{"metadata.generation": "1", "status.phase": "Pending"}},
		{"POST " + inDefault + "configmaps?dryRun=All", `{"metadata":{"name":"b"}}`, 201, map[string]string{"metadata.resourceVersion": "-"}},
		{"GET " + inDefault + "configmaps/b", "", 404, nil},
	})
}

// Metadata are validated by the rules of the kind, and all errors are reported
// at once.
func TestCreateRejectsInvalidNames(t *testing.T) {
	s := plainServer(t)
	runSteps(t, s, []step{
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"A_"}}`, 422, map[string]string{"reason": "Invalid", "details.name": "A_", "details.kind": "ConfigMap"}},
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"a.b"}}`, 201, nil},
		{"POST " + inDefault + "services", `{"metadata":{"name":"a.b"}}`, 422, nil},
		{"POST " + inDefault + "services", `{"metadata":{"name":"1a"}}`, 201, nil},
		{"POST /api/v1/namespaces", `{"metadata":{"name":"a.b"}}`, 422, nil},
		{"POST /apis/rbac.authorization.k8s.io/v1/clusterroles", `{"metadata":{"name":"system:A_b"}}`, 201, nil},
		{"POST /apis/rbac.authorization.k8s.io/v1/clusterroles", `{"metadata":{"name":"a%b"}}`, 422, nil},
		{"POST " + inDefault + "configmaps", `{}`, 422, map[string]string{"message": `ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required`}},
	})
	_, response := exchange(t, s, "POST "+inDefault+"configmaps", `{"metadata":{"name":"b","labels":{"a b":"c d"},"annotations":{"/x":"y"},"finalizers":["x"]}}`)
	require.Len(t, objects.At(response, "details.causes"), 4)
}

// API conventions, "Idempotency": generated names are unique, and drawn again
// after a collision.
func TestGenerateName(t *testing.T) {
	s := plainServer(t)
	seen := map[any]bool{}
	for range 50 {
		code, response := exchange(t, s, "POST "+inDefault+"configmaps", `{"metadata":{"generateName":"job-"}}`)
		require.Equal(t, 201, code)
		require.Regexp(t, `^job-[bcdfghjklmnpqrstvwxz2456789]{5}$`, objects.At(response, "metadata.name"))
		seen[objects.At(response, "metadata.name")] = true
	}
	require.Len(t, seen, 50)
}

func TestSecretsAndNamespacesAreCompleted(t *testing.T) {
	runSteps(t, plainServer(t), []step{
		{"POST " + inDefault + "secrets", `{"metadata":{"name":"s"},"stringData":{"a":"b"},"data":{"c":"ZA=="}}`, 201,
			map[string]string{"type": "Opaque", "stringData": "-", "data.a": "Yg==", "data.c": "ZA=="}},
		{"POST /api/v1/namespaces", `{"metadata":{"name":"n"},"status":{"phase":"Terminating"}}`, 201,
			map[string]string{"spec.finalizers": `["kubernetes"]`, "status.phase": "Active", "metadata.labels": `{"kubernetes.io/metadata.name":"n"}`}},
		{"GET /api/v1/namespaces/kube-node-lease", "", 200, nil},
	})
}

// "Namespaces": nothing is created in a namespace whose deletion began or ended
// after the request was received.
func TestCreateFailsInDeletedNamespace(t *testing.T) {
	s := plainServer(t)
	runSteps(t, s, []step{{"POST /api/v1/namespaces", `{"metadata":{"name":"n"}}`, 201, nil}})
	all := s.registry.Find(registry.Namespaces.WithVersion("v1")).Table
	maps := s.registry.Find(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Table
	namespace := all.Get(storage.Key{Name: "n"})
	text, err := objects.Encode(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a", "namespace": "n"}}})
	require.NoError(t, err)
	_, err = maps.Create(storage.Key{Namespace: "n", Name: "a"}, text, all, namespace)
	require.NoError(t, err)
	for _, end := range []step{
		{"DELETE /api/v1/namespaces/n", "", 200, nil},
		{"PUT /api/v1/namespaces/n/finalize", `{"metadata":{"name":"n"}}`, 200, nil},
	} {
		runSteps(t, s, []step{end})
		_, err = maps.Create(storage.Key{Namespace: "n", Name: "b"}, text, all, namespace)
		require.ErrorIs(t, err, storage.ErrNamespaceChanged)
	}
}

// The same with clients: no object remains after the deletion of its namespace.
func TestConcurrentCreatesAndNamespaceDeletion(t *testing.T) {
	s := NewServer(Options{InMemory: true, Controllers: true})
	defer s.Close()
	for round := range 5 {
		namespace := fmt.Sprintf("/api/v1/namespaces/n%d", round)
		runSteps(t, s, []step{{"POST /api/v1/namespaces", fmt.Sprintf(`{"metadata":{"name":"n%d"}}`, round), 201, nil}})
		var writers sync.WaitGroup
		for w := range 4 {
			writers.Go(func() {
				for i := 0; ; i++ {
					code, _ := exchange(t, s, "POST "+namespace+"/configmaps", fmt.Sprintf(`{"metadata":{"name":"c%d-%d"}}`, w, i))
					if code != 201 {
						assert.Contains(t, []int{403, 404}, code)
						return
					}
				}
			})
		}
		runSteps(t, s, []step{{"DELETE " + namespace, "", 200, nil}})
		writers.Wait()
		WaitDeleted(t, s, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": fmt.Sprintf("n%d", round)}}})
		_, left := exchange(t, s, "GET "+namespace+"/configmaps", "")
		require.Empty(t, left["items"])
	}
}

// An object can have any number of errors; the reported ones are bounded.
func TestFieldErrorsAreBounded(t *testing.T) {
	var labels []string
	for i := range 2 * maxFieldErrors {
		labels = append(labels, fmt.Sprintf(`"wrong key %d":"v"`, i))
	}
	code, response := exchange(t, plainServer(t), "POST "+inDefault+"configmaps", `{"metadata":{"name":"a","labels":{`+strings.Join(labels, ",")+`}}}`)
	require.Equal(t, 422, code)
	causes, _ := objects.At(response, "details.causes").([]any)
	require.Equal(t, maxFieldErrors, len(causes))
}

// "ownerReferences": of equal references one is kept, and a warning names the
// others.
func TestDuplicateOwnersAreDropped(t *testing.T) {
	const owner = `{"apiVersion":"v1","kind":"Pod","name":%q,"uid":"u"%s}`
	var owners []string
	for _, fields := range [][]any{{"a", ""}, {"a", ""}, {"b", ""}, {"a", `,"controller":false`}, {"a", `,"controller":false`}} {
		owners = append(owners, fmt.Sprintf(owner, fields...))
	}
	s := plainServer(t)
	_, made, warned := send(t, s, "POST "+inDefault+"configmaps", jsonType, `{"metadata":{"name":"a","ownerReferences":[`+strings.Join(owners, ",")+`]}}`)
	kept, _ := objects.At(made, "metadata.ownerReferences").([]any)
	require.Equal(t, 3, len(kept))
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], "duplicate UID(s) observed: u, u")
}
