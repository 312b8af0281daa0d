package apitest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// API conventions, "Concurrency control and consistency".
func TestUpdateIsGuardedByVersions(t *testing.T) {
	s := plainServer(t)
	code, made := exchange(t, s, "POST "+inDefault+"configmaps", `{"metadata":{"name":"a"}}`)
	require.Equal(t, 201, code)
	version, uid := asText(objects.At(made, "metadata.resourceVersion")), asText(objects.At(made, "metadata.uid"))
	put := "PUT " + inDefault + "configmaps/a"
	runSteps(t, s, []step{
		{put, `{"metadata":{"name":"a","resourceVersion":"1"}}`, 409, map[string]string{"reason": "Conflict", "message": `Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again`}},
		{put, `{"metadata":{"name":"a","resourceVersion":"x"}}`, 500, map[string]string{"message": `strconv.ParseUint: parsing "x": invalid syntax`}},
		{put, `{"metadata":{"name":"a","uid":"x"}}`, 409, map[string]string{"reason": "Conflict"}},
		{put, `{"metadata":{"name":"b"}}`, 400, map[string]string{"message": "the name of the object (b) does not match the name on the URL (a)"}},
		{put, `{"metadata":{"name":"a","namespace":"b"}}`, 400, nil},
		{put, `{"metadata":{"name":"a","deletionTimestamp":"2020-01-01T00:00:00Z"}}`, 422, nil},
		{put, `{"metadata":{"name":"a"}}`, 200, map[string]string{"metadata.resourceVersion": version, "metadata.uid": uid}}, // nothing changed
		{put, `{"metadata":{"name":"a","resourceVersion":"` + version + `","uid":"` + uid + `"},"data":{"a":"b"}}`, 200, map[string]string{"data.a": "b", "metadata.uid": uid}},
		{put, `{"metadata":{"name":"a","resourceVersion":"` + version + `"}}`, 409, nil},
		{put + "?dryRun=All", `{"metadata":{"name":"a"}}`, 200, map[string]string{"data": "-"}},
		{"GET " + inDefault + "configmaps/a", "", 200, map[string]string{"data.a": "b"}},
		{"PUT " + inDefault + "configmaps/none", `{"metadata":{"name":"none"}}`, 404, nil},
		{"PUT /apis/coordination.k8s.io/v1/namespaces/default/leases/l", `{"metadata":{"name":"l"}}`, 201, nil},
		{"PUT /apis/coordination.k8s.io/v1/namespaces/default/leases/l", `{"metadata":{"name":"l"}}`, 422, nil}, // leases require a version
	})
}

// "The status is a subresource": writes of the spec and the status do not
// change the other part, and the generation counts changes outside of the
// status.
func TestSpecAndStatusAreSeparate(t *testing.T) {
	const collection = "/apis/apps/v1/namespaces/default/deployments"
	runSteps(t, plainServer(t), []step{
		{"POST " + collection, `{"metadata":{"name":"d"},"spec":{"replicas":1},"status":{"replicas":9}}`, 201, map[string]string{"status.replicas": "-", "metadata.generation": "1"}},
		{"PUT " + collection + "/d/status", `{"metadata":{"name":"d"},"spec":{"replicas":5},"status":{"replicas":2}}`, 200, map[string]string{"spec.replicas": "1", "status.replicas": "2", "metadata.generation": "1"}},
		{"PUT " + collection + "/d", `{"metadata":{"name":"d"},"spec":{"replicas":3},"status":{"replicas":9}}`, 200, map[string]string{"spec.replicas": "3", "status.replicas": "2", "metadata.generation": "2"}},
		{"PUT " + collection + "/d", `{"metadata":{"name":"d","generation":50,"labels":{"a":"b"}},"spec":{"replicas":3}}`, 200, map[string]string{"metadata.generation": "2", "metadata.labels.a": "b"}},
		{"GET " + collection + "/d/scale", "", 200, map[string]string{"kind": "Scale", "spec.replicas": "3", "status.replicas": "2"}},
		{"PUT " + collection + "/d/scale", `{"metadata":{"name":"d"},"spec":{"replicas":7}}`, 200, map[string]string{"spec.replicas": "7"}},
		{"PUT " + collection + "/d/scale", `{"metadata":{"name":"d","resourceVersion":"1"},"spec":{"replicas":8}}`, 409, nil},
		{"PUT " + collection + "/d/scale", `{"metadata":{"name":"d"},"spec":{"replicas":-1}}`, 422, map[string]string{"details.kind": "Scale"}},
		{"GET " + collection + "/d", "", 200, map[string]string{"spec.replicas": "7", "metadata.generation": "3"}},
	})
}

// No update is lost: eight writers increment counters in one object, each with
// the version that it has read.
func TestNoUpdateIsLost(t *testing.T) {
	s := plainServer(t)
	const writers, counts = 8, 10
	runSteps(t, s, []step{{"POST " + inDefault + "configmaps", `{"metadata":{"name":"a"},"data":{"n":"0"}}`, 201, nil}})
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for done := 0; done < counts; {
				_, now := exchange(t, s, "GET "+inDefault+"configmaps/a", "")
				var n int
				_, _ = fmt.Sscan(asText(objects.At(now, "data.n")), &n)
				code, response := exchange(t, s, "PUT "+inDefault+"configmaps/a", fmt.Sprintf(
					`{"metadata":{"name":"a","resourceVersion":%q},"data":{"n":"%d"}}`, objects.At(now, "metadata.resourceVersion"), n+1))
				switch code {
				case 200:
					done++
				case 409:
				default:
					t.Errorf("%d %v", code, response)
					return
				}
			}
		})
	}
	all.Wait()
	runSteps(t, s, []step{{"GET " + inDefault + "configmaps/a", "", 200, map[string]string{"data.n": fmt.Sprint(writers * counts)}}})
}
