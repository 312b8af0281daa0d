package apitest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// API conventions, "Finalizers": an object with finalizers is marked, and
// deleted with the last of them.
func TestFinalizersDelayDeletion(t *testing.T) {
	s := plainServer(t)
	const one = inDefault + "configmaps/a"
	runSteps(t, s, []step{
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"a","finalizers":["example.com/x"]}}`, 201, nil},
		{"DELETE " + one, "", 200, map[string]string{"kind": "ConfigMap", "metadata.deletionGracePeriodSeconds": "0"}},
	})
	_, marked := exchange(t, s, "GET "+one, "")
	require.NotNil(t, objects.At(marked, "metadata.deletionTimestamp"))
	version := asText(objects.At(marked, "metadata.resourceVersion"))
	runSteps(t, s, []step{
		{"DELETE " + one, "", 200, map[string]string{"metadata.resourceVersion": version}},
		{"POST " + inDefault + "configmaps", `{"metadata":{"name":"a"}}`, 409, map[string]string{"message": `object is being deleted: configmaps "a" already exists`}},
		{"PUT " + one, `{"metadata":{"name":"a","finalizers":["example.com/x","example.com/y"]}}`, 422, nil},
		{"PUT " + one, `{"metadata":{"name":"a","finalizers":["example.com/x"]},"data":{"a":"b"}}`, 200, map[string]string{"data.a": "b"}},
		{"PUT " + one + "?dryRun=All", `{"metadata":{"name":"a"}}`, 200, nil},
		{"GET " + one, "", 200, nil},
		{"PUT " + one, `{"metadata":{"name":"a"}}`, 200, map[string]string{"metadata.finalizers": "-"}},
		{"GET " + one, "", 404, nil},
	})
}

func TestDelete(t *testing.T) {
	s := plainServer(t)
	made := func(name string) string { return `{"metadata":{"name":"` + name + `"}}` }
	runSteps(t, s, []step{
		{"POST " + inDefault + "configmaps", made("a"), 201, nil},
		{"DELETE " + inDefault + "configmaps/a", `{"preconditions":{"uid":"x"}}`, 409, map[string]string{"details.kind": "ConfigMap"}},
		{"DELETE " + inDefault + "configmaps/a", `{"preconditions":{"resourceVersion":"1"}}`, 409, nil},
		{"DELETE " + inDefault + "configmaps/a?propagationPolicy=Sometimes", "", 422, nil},
		{"DELETE " + inDefault + "configmaps/a?dryRun=All", "", 200, map[string]string{"status": "Success"}},
		{"DELETE " + inDefault + "configmaps/a", "", 200, map[string]string{"status": "Success", "details.name": "a", "details.kind": "configmaps"}},
		{"DELETE " + inDefault + "configmaps/a", "", 404, nil},
		{"POST " + inDefault + "configmaps", made("b"), 201, nil},
		{"DELETE " + inDefault + "configmaps/b?propagationPolicy=Foreground", "", 200, map[string]string{"metadata.finalizers": `["foregroundDeletion"]`}},
		{"POST " + inDefault + "serviceaccounts", made("c"), 201, nil},
		{"DELETE " + inDefault + "serviceaccounts/c", "", 200, map[string]string{"kind": "ServiceAccount"}},
		{"DELETE /api/v1/namespaces/default", "", 403, map[string]string{"message": `namespaces "default" is forbidden: this namespace may not be deleted`}},
	})
}

// A pod on a node gets a grace period; a pod without a node does not.
func TestGracefulPodDeletion(t *testing.T) {
	const collection = inDefault + "pods"
	runSteps(t, plainServer(t), []step{
		{"POST " + collection, `{"metadata":{"name":"free"},"spec":{}}`, 201, nil},
		{"DELETE " + collection + "/free", "", 200, map[string]string{"metadata.deletionGracePeriodSeconds": "0"}},
		{"GET " + collection + "/free", "", 404, nil},
		{"POST " + collection, `{"metadata":{"name":"bound"},"spec":{"nodeName":"n","terminationGracePeriodSeconds":40}}`, 201, nil},
		{"DELETE " + collection + "/bound", "", 200, map[string]string{"metadata.deletionGracePeriodSeconds": "40", "metadata.generation": "2"}},
		{"DELETE " + collection + "/bound?gracePeriodSeconds=50", "", 200, map[string]string{"metadata.deletionGracePeriodSeconds": "40"}},
		{"DELETE " + collection + "/bound?gracePeriodSeconds=10", "", 200, map[string]string{"metadata.deletionGracePeriodSeconds": "10"}},
		{"GET " + collection + "/bound", "", 200, nil},
		{"DELETE " + collection + "/bound?gracePeriodSeconds=0", "", 200, nil},
		{"GET " + collection + "/bound", "", 404, nil},
	})
}

func TestNamespaceDeletion(t *testing.T) {
	runSteps(t, plainServer(t), []step{
		{"POST /api/v1/namespaces", `{"metadata":{"name":"n"}}`, 201, nil},
		{"PUT /api/v1/namespaces/n/status", `{"metadata":{"name":"n"},"status":{"phase":"Terminating"}}`, 422, nil},
		{"DELETE /api/v1/namespaces/n", "", 200, map[string]string{"status.phase": "Terminating"}},
		{"POST /api/v1/namespaces/n/configmaps", `{"metadata":{"name":"a"}}`, 403, map[string]string{"reason": "Forbidden"}},
		{"PUT /api/v1/namespaces/n", `{"metadata":{"name":"n"},"spec":{"finalizers":[]}}`, 200, nil},
		{"GET /api/v1/namespaces/n", "", 200, nil}, // only the subresource finalize writes them
		{"PUT /api/v1/namespaces/n/finalize", `{"metadata":{"name":"n"},"spec":{}}`, 200, nil},
		{"GET /api/v1/namespaces/n", "", 404, nil},
	})
}

func TestDeleteCollection(t *testing.T) {
	s := plainServer(t)
	for i := range 5 {
		runSteps(t, s, []step{{"POST " + inDefault + "configmaps", fmt.Sprintf(`{"metadata":{"name":"c%d","labels":{"odd":"%d"}}}`, i, i%2), 201, nil}})
	}
	const all = inDefault + "configmaps"
	left := func() int {
		_, list := exchange(t, s, "GET "+all, "")
		return len(list["items"].([]any))
	}
	code, gone := exchange(t, s, "DELETE "+all+"?labelSelector=odd%3D1", "")
	require.Equal(t, 200, code)
	require.Len(t, gone["items"], 2)
	require.Equal(t, 3, left())
	code, _ = exchange(t, s, "DELETE "+all+"?limit=1", "")
	require.Equal(t, 200, code)
	require.Equal(t, 2, left())
	code, _ = exchange(t, s, "DELETE "+all+"?dryRun=All", "")
	require.Equal(t, 200, code)
	require.Equal(t, 2, left())
	code, _ = exchange(t, s, "DELETE /api/v1/configmaps", "")
	require.Equal(t, 405, code, "not across all namespaces")
}
