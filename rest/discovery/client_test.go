package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Contract: discovery sends two requests to a server with aggregated discovery, and
// one for each group version to any other server. The results are the same.
func TestAggregatedAndLegacyDiscoveryReturnTheSameResults(t *testing.T) {
	aggregated, legacy := newServer(true), newServer(false)
	groups, lists, err := aggregated.startHTTP(t).ServerGroupsAndResources(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]int{"/api": 1, "/apis": 1}, aggregated.requestsByPath())

	legacyGroups, legacyLists, err := legacy.startHTTP(t).ServerGroupsAndResources(t.Context())
	require.NoError(t, err)
	require.Len(t, legacy.requestsByPath(), 2+8, "/api, /apis and eight group versions")

	requireJSON(t, legacyGroups, groups)
	requireJSON(t, legacyLists, lists)
	require.Len(t, groups, 6)
	require.Empty(t, groups[0].Name, "core is first")
	require.Equal(t, "apps/v1", groups[1].PreferredVersion.GroupVersion)
	var order []string
	for _, list := range lists {
		order = append(order, list.GroupVersion)
	}
	require.Equal(t, strings.Fields("v1 apps/v1 apps/v1beta1 events.k8s.io/v1 storage.k8s.io/v1 example.com/v2 example.com/v1 metrics.k8s.io/v1beta1"), order)
	require.Equal(t, metav1.APIResource{
		Name: "pods/eviction", SingularName: "pod", Namespaced: true, Group: "policy", Version: "v1", Kind: "Eviction", Verbs: metav1.Verbs{"get"},
	}, lists[0].APIResources[1])
}

// requireJSON requires that both values have the same JSON. Empty slices equal nil
// ones.
func requireJSON(t *testing.T, want, got any) {
	t.Helper()
	wantText, err := json.Marshal(want)
	require.NoError(t, err)
	gotText, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, string(wantText), string(gotText))
}

func TestVersionGroupsAndResourcesOfOneGroupVersion(t *testing.T) {
	for _, aggregated := range []bool{true, false} {
		c := newServer(aggregated).startHTTP(t)
		version, err := c.ServerVersion(t.Context())
		require.NoError(t, err)
		require.Equal(t, "v1.37.2", version.GitVersion)

		groups, err := c.ServerGroups(t.Context())
		require.NoError(t, err)
		require.Len(t, groups.Groups, 6)
		require.Equal(t, "example.com/v2", groups.Groups[4].PreferredVersion.GroupVersion)

		list, err := c.ServerResourcesForGroupVersion(t.Context(), schema.GroupVersion{Group: "apps", Version: "v1"})
		require.NoError(t, err)
		require.Equal(t, "apps/v1", list.GroupVersion)
		require.Equal(t, "deployments", list.APIResources[0].Name)
		_, err = c.ServerResourcesForGroupVersion(t.Context(), schema.GroupVersion{Version: "v1"})
		require.NoError(t, err, "core is at /api/v1")

		_, err = c.ServerResourcesForGroupVersion(t.Context(), schema.GroupVersion{Group: "apps", Version: "v3"})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
		require.ErrorContains(t, err, "discover the resources of apps/v3")
	}
}

// A server may serve only named groups (an extension server) or only the core
// group.
func TestOneOfTheTwoRootsIsSufficient(t *testing.T) {
	for _, aggregated := range []bool{true, false} {
		for path, groups := range map[string]int{"/api": 5, "/apis": 1} {
			s := newServer(aggregated)
			s.respond(path, http.StatusNotFound, "text/plain", "404 page not found")
			found, err := s.startHTTP(t).ServerGroups(t.Context())
			require.NoError(t, err)
			require.Len(t, found.Groups, groups, path)
		}
	}
}

// The two roots may be served by servers of different versions.
func TestOneRootMayBeAggregatedAndTheOtherLegacy(t *testing.T) {
	s := newServer(true)
	s.respond("/api", http.StatusOK, "application/json", `{"kind":"APIVersions","versions":["v1"]}`)
	_, lists, err := s.startHTTP(t).ServerGroupsAndResources(t.Context())
	require.NoError(t, err)
	require.Len(t, lists, 8)
	require.Equal(t, map[string]int{"/api": 1, "/apis": 1, "/api/v1": 1}, s.requestsByPath())
}

// Contract: a failed group version does not hide the others, and is returned with
// its error.
func TestAFailedGroupVersionDoesNotHideTheRest(t *testing.T) {
	s := newServer(false)
	s.respond("/apis/metrics.k8s.io/v1beta1", http.StatusServiceUnavailable, "text/plain", "no endpoints")
	s.respond("/apis/apps/v1", http.StatusOK, "application/json", `{"kind":"APIResourceList","groupVersion":"apps/v2"}`)
	groups, lists, err := s.startHTTP(t).ServerGroupsAndResources(t.Context())
	require.Len(t, groups, 6)
	require.Len(t, lists, 6)

	var partial *PartialError
	require.ErrorAs(t, err, &partial)
	require.Len(t, partial.Failed, 2)
	require.True(t, apierrors.IsServiceUnavailable(partial.Failed[schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1beta1"}]))
	var status *apierrors.StatusError
	require.ErrorAs(t, err, &status, "the error wraps the errors of the group versions")
	require.Regexp(t, `^discovery failed for 2 group versions: apps/v1: the response is for the group version "apps/v2"; metrics.k8s.io/v1beta1: `, err.Error())
}

// Contract: stale group versions are returned with ErrStale, and are not preferred.
func TestStaleGroupVersionsFailWithErrStale(t *testing.T) {
	s := newServer(true)
	s.groups[4].versions[0].stale = true // example.com/v2
	s.groups[5].versions[0].stale = true // metrics.k8s.io/v1beta1
	c := s.startHTTP(t)
	groups, lists, err := c.ServerGroupsAndResources(t.Context())
	require.ErrorIs(t, err, ErrStale)
	var partial *PartialError
	require.ErrorAs(t, err, &partial)
	require.Len(t, partial.Failed, 2)
	require.ErrorIs(t, partial.Failed[schema.GroupVersion{Group: "example.com", Version: "v2"}], ErrStale)
	require.Len(t, lists, 6)
	require.Len(t, groups[4].Versions, 2, "the group lists the stale version")
	require.Equal(t, "v1", groups[4].PreferredVersion.Version)
	require.Equal(t, "v1beta1", groups[5].PreferredVersion.Version)
	require.Equal(t, map[string]int{"/api": 1, "/apis": 1}, s.requestsByPath(), "the stale version is not requested")
}

// Contract: an unexpected response is an error.
func TestUnexpectedResponsesAreErrors(t *testing.T) {
	for name, body := range map[string]string{
		"HTML":           "<html><body>Please log in</body></html>",
		"another kind":   `{"kind":"PodList","apiVersion":"v1","items":[]}`,
		"no kind":        `{}`,
		"null":           `null`,
		"a list":         `[]`,
		"truncated":      `{"kind":"APIGroupList","groups":[{"name":"a"`,
		"wrong types":    `{"kind":"APIGroupList","groups":"many"}`,
		"old aggregated": `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2beta1","items":[]}`,
		"a failure":      `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","code":500}`,
		"deep":           `{"kind":"APIGroupList","groups":` + strings.Repeat(`[`, 20_000),
		"too large":      `{"kind":"APIGroupList","x":"` + strings.Repeat("x", maxResponseSize) + `"}`,
		"too many":       `{"kind":"APIGroupList","groups":[` + groupsJSON(maxGroupVersions+1) + `]}`,
	} {
		s := newServer(false)
		s.respond("/apis", http.StatusOK, "application/json", body)
		_, err := s.startHTTP(t).ServerGroups(t.Context())
		require.ErrorContains(t, err, "discover the server's groups: ", name)
		require.Less(t, len(err.Error()), 3000, name)
	}

	s := newServer(false)
	s.respond("/apis", http.StatusOK, "text/html", "<html>")
	_, err := s.startHTTP(t).ServerGroups(t.Context())
	require.ErrorContains(t, err, "text/html")

	for _, body := range []string{`{}`, `{"kind":"APIGroupList","groupVersion":"apps/v1"}`, `{"kind":"APIResourceList"}`, "<html>"} {
		s.respond("/apis/apps/v1", http.StatusOK, "application/json", body)
		_, err = s.startHTTP(t).ServerResourcesForGroupVersion(t.Context(), schema.GroupVersion{Group: "apps", Version: "v1"})
		require.Error(t, err, body)
	}
	s.respond("/version", http.StatusOK, "application/json", `{}`)
	_, err = s.startHTTP(t).ServerVersion(t.Context())
	require.ErrorContains(t, err, "the response has no version")
}

func groupsJSON(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"name":"g%d","versions":[{"groupVersion":"g%d/v1","version":"v1"}]}`, i, i)
	}
	return b.String()[1:]
}

// Contract: the name of a group or version cannot change the path of a request.
func TestNamesThatAreNotPathSegmentsAreNotRequested(t *testing.T) {
	s := newServer(false)
	s.respond("/apis", http.StatusOK, "application/json",
		`{"kind":"APIGroupList","groups":[{"name":"../api","versions":[{"version":"v1"}]},{"name":"a/b","versions":[{"version":"v1"}]},`+
			`{"name":"ok","versions":[{"version":"v1?x"},{"version":".."},{"version":""}]},{"name":"none"}]}`)
	_, lists, err := s.startHTTP(t).ServerGroupsAndResources(t.Context())
	var partial *PartialError
	require.ErrorAs(t, err, &partial)
	require.Len(t, partial.Failed, 5)
	require.Len(t, lists, 1, "the core group is not hidden")
	require.Equal(t, map[string]int{"/api": 1, "/apis": 1, "/api/v1": 1}, s.requestsByPath())

	_, err = s.startHTTP(t).ServerResourcesForGroupVersion(t.Context(), schema.GroupVersion{Group: "apps"})
	require.ErrorContains(t, err, "invalid group version")
}

// Repeated group versions count once. A resource without a kind is listed only for
// its subresources.
func TestRepeatedVersionsAndResourcesWithoutAKind(t *testing.T) {
	s := newServer(true)
	version := `{"version":"v1","resources":[{"resource":"pods","responseKind":{"kind":"First"}},{"resource":"pods","responseKind":{"kind":"Second"}},` +
		`{"resource":"proxies","responseKind":{},"subresources":[{"subresource":"connect","responseKind":{"group":"x","version":"v1","kind":"Connection"}},{"subresource":"none"}]}]}`
	s.respond("/api", http.StatusOK, "application/json", `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[`+
		`{"metadata":{"name":"x"},"versions":[`+version+`,`+version+`]},{"metadata":{"name":"x"},"versions":[`+version+`]}]}`)
	s.respond("/apis", http.StatusNotFound, "text/plain", "")
	c := s.startHTTP(t)
	_, lists, err := c.ServerGroupsAndResources(t.Context())
	require.NoError(t, err)
	require.Len(t, lists, 1)
	var names []string
	for _, resource := range lists[0].APIResources {
		names = append(names, resource.Name)
	}
	require.Equal(t, []string{"pods", "pods", "proxies/connect"}, names)

	all, err := NewMapper(c).Resources(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "First", all[0].Kind)
}

// Contract: the message of a PartialError names at most five group versions; Failed
// holds all.
func TestTheMessageOfAPartialErrorIsLimited(t *testing.T) {
	s := newServer(false)
	s.respond("/apis", http.StatusOK, "application/json", `{"kind":"APIGroupList","groups":[`+groupsJSON(40)+`]}`)
	_, _, err := s.startHTTP(t).ServerGroupsAndResources(t.Context())
	var partial *PartialError
	require.ErrorAs(t, err, &partial)
	require.Len(t, partial.Failed, 40)
	require.Regexp(t, `^discovery failed for 40 group versions: g0/v1: .*; g12/v1: [^;]*; and 35 more$`, err.Error())
}

// Contract: the number of concurrent requests for group versions is limited.
func TestConcurrentRequestsForGroupVersionsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(false)
		const groups = 60
		s.respond("/apis", http.StatusOK, "application/json", `{"kind":"APIGroupList","groups":[`+groupsJSON(groups)+`]}`)
		var current, peak atomic.Int32
		for i := range groups {
			s.handle(fmt.Sprintf("/apis/g%d/v1", i), func(w http.ResponseWriter, _ *http.Request) {
				current.Add(1)
				time.Sleep(time.Second) // wait until all concurrent requests have arrived
				peak.Store(max(peak.Load(), current.Load()))
				time.Sleep(time.Second)
				current.Add(-1)
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"kind":"APIResourceList","groupVersion":"g%d/v1","resources":[]}`, i)
			})
		}
		_, lists, err := s.startInProcess(t).ServerGroupsAndResources(t.Context())
		require.NoError(t, err)
		require.Len(t, lists, groups+1)
		require.EqualValues(t, maxConcurrentRequests, peak.Load())
	})
}

// Contract: discovery ends with the context, and then returns no partial result.
func TestDiscoveryEndsWithTheContext(t *testing.T) {
	s := newServer(false)
	ctx, cancel := context.WithCancelCause(t.Context())
	errCancelled := errors.New("cancelled by the test")
	s.handle("/apis/apps/v1", func(_ http.ResponseWriter, r *http.Request) {
		cancel(errCancelled)
		<-r.Context().Done()
	})
	groups, lists, err := s.startHTTP(t).ServerGroupsAndResources(ctx)
	require.ErrorIs(t, err, errCancelled)
	require.Nil(t, groups)
	require.Nil(t, lists)
}
