package apitest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// exchange makes one request to a server and returns the code and the body.
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
	s := NewServer(Options{Plain: true, Seed: 1})
	t.Cleanup(s.Close)
	return s
}

// step is a request and what of its answer is promised.
type step struct {
	request, body string
	code          int
	// has are values by path in the answer, as text; "-" is an absent one.
	has map[string]string
}

func play(t *testing.T, s *Server, steps []step) {
	t.Helper()
	for _, step := range steps {
		code, answer := exchange(t, s, step.request, step.body)
		require.Equal(t, step.code, code, "%s %s: %v", step.request, step.body, answer)
		for path, want := range step.has {
			require.Equal(t, want, shown(at(answer, path)), "%s %s: %s of %v", step.request, step.body, path, answer)
		}
	}
}

func shown(value any) string {
	if value == nil {
		return "-"
	}
	text, _ := utiljson.Marshal(value)
	return strings.Trim(string(text), `"`)
}

const inDefault = "/api/v1/namespaces/default/"

// API conventions, "Metadata": what the server gives a new object, and what it
// does not take from its creator.
func TestCreateGivesAnObjectItsIdentity(t *testing.T) {
	play(t, plainServer(t), []step{
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"a","uid":"x","selfLink":"y","deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":5,"creationTimestamp":"2020-01-01T00:00:00Z","labels":{}},"data":{"a":"b"}}`, 201,
			map[string]string{"kind": "ConfigMap", "apiVersion": "v1", "metadata.namespace": "default", "metadata.selfLink": "-", "metadata.deletionTimestamp": "-", "metadata.deletionGracePeriodSeconds": "-", "metadata.labels": "-", "data.a": "b"}},
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"a"}}`, 409, map[string]string{"reason": "AlreadyExists", "message": `configmaps \"a\" already exists`}},
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"b","resourceVersion":"7"}}`, 500, map[string]string{"message": "resourceVersion should not be set on objects to be created"}},
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"b","namespace":"other"}}`, 400, map[string]string{"message": "the namespace of the provided object does not match the namespace sent on the request"}},
		{"POST /api/v1/namespaces/none/configmaps", `{"metadata":{"name":"b"}}`, 404, map[string]string{"message": `namespaces \"none\" not found`}},
		{"POST " + inDefault + "pods", `{"metadata":{"name":"p","generation":9},"status":{"phase":"Running"}}`, 201, map[string]string{"metadata.generation": "1", "status.phase": "Pending"}},
		{"POST " + inDefault + "configmaps?dryRun=All", `{"metadata":{"name":"b"}}`, 201, map[string]string{"metadata.resourceVersion": "-"}},
		{"GET " + inDefault + "configmaps/b", "", 404, nil},
	})
}
