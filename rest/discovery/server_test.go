package discovery

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// server serves the discovery endpoints of a Kubernetes server, aggregated or
// legacy.
type server struct {
	groups            []testGroup
	aggregated        bool
	cancelledRequests atomic.Int32 // delayed requests whose context ended

	mu            sync.Mutex
	requestCounts map[string]int          // by path
	handlers      map[string]http.Handler // by path; they replace the default response
}

// testGroup is a group with its versions, the preferred one first.
type testGroup struct {
	name     string
	versions []testVersion
}

type testVersion struct {
	name      string
	resources []testResource
	stale     bool
}

// testResource describes a resource. Its spec is "pods pod Pod po,p all": plural,
// singular, kind, short names, categories.
type testResource struct {
	spec          string
	clusterScoped bool
	subresources  []string // "scale autoscaling/v1 Scale", or "status  Pod"
}

var testVerbs = []string{"create", "delete", "get", "list", "watch"}

// testCluster returns the groups that the tests of the name rules need.
func testCluster() []testGroup {
	deployments := testResource{spec: "deployments deployment Deployment deploy all", subresources: []string{"scale autoscaling/v1 Scale", "status - Deployment"}}
	return []testGroup{
		{"", []testVersion{{name: "v1", resources: []testResource{
			{spec: "pods pod Pod po all", subresources: []string{"eviction policy/v1 Eviction", "log - Pod", "status - Pod"}},
			{spec: "events event Event ev"},
			{spec: "namespaces namespace Namespace ns", clusterScoped: true},
		}}}},
		{"apps", []testVersion{
			{name: "v1", resources: []testResource{deployments}},
			{name: "v1beta1", resources: []testResource{deployments, {spec: "relics relic Relic"}}},
		}},
		{"events.k8s.io", []testVersion{{name: "v1", resources: []testResource{{spec: "events event Event ev"}}}}},
		{"storage.k8s.io", []testVersion{{name: "v1", resources: []testResource{{spec: "storageclasses storageclass StorageClass sc", clusterScoped: true}}}}},
		{"example.com", []testVersion{
			{name: "v2", resources: []testResource{
				{spec: "widgets widget Widget wd,po"},
				{spec: "relics relic Relic"},
				{spec: "sc sc ShortCircuit"},
				{spec: "people person Human"},
			}},
			{name: "v1", resources: []testResource{{spec: "widgets widget Widget wd"}}},
		}},
		{"metrics.k8s.io", []testVersion{{name: "v1beta1", resources: []testResource{{spec: "pods  PodMetrics"}, {spec: "loads load Load"}}}}},
	}
}

func newServer(aggregated bool) *server {
	return &server{groups: testCluster(), aggregated: aggregated, requestCounts: map[string]int{}, handlers: map[string]http.Handler{}}
}

// startHTTP serves over HTTP and returns a client.
func (s *server) startHTTP(t *testing.T) *Client {
	t.Helper()
	listener := httptest.NewServer(s)
	t.Cleanup(listener.Close)
	return connect(t, &rest.Config{Host: listener.URL})
}

// startInProcess serves without a network, for synctest bubbles.
func (s *server) startInProcess(t *testing.T) *Client {
	t.Helper()
	return connect(t, &rest.Config{Host: "http://server", Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		recorded := httptest.NewRecorder()
		s.ServeHTTP(recorded, r)
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		return recorded.Result(), nil
	})})
}

func connect(t *testing.T, config *rest.Config) *Client {
	client, err := rest.New(config)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return NewClient(client)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// respond replaces the response of a path.
func (s *server) respond(path string, status int, contentType, body string) {
	s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}

func (s *server) handle(path string, with http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[path] = with
}

// restore restores the default response of a path.
func (s *server) restore(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.handlers, path)
}

// setGroups replaces the served groups.
func (s *server) setGroups(groups []testGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups = groups
}

// requestsByPath returns the number of requests for each path.
func (s *server) requestsByPath() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.requestCounts)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requestCounts[r.URL.Path]++
	handler, groups := s.handlers[r.URL.Path], s.groups
	s.mu.Unlock()
	if handler != nil {
		handler.ServeHTTP(w, r)
		return
	}
	aggregated := s.aggregated && strings.HasPrefix(r.Header.Get("Accept"), acceptAggregated)
	response := responseFor(r.URL.Path, groups, aggregated)
	if response == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(response)
}

func responseFor(path string, groups []testGroup, aggregated bool) any {
	if path == "/version" {
		return map[string]any{"major": "1", "minor": "37", "gitVersion": "v1.37.2"}
	}
	if path == "/api" || path == "/apis" {
		var selected []testGroup
		for _, g := range groups {
			if (g.name == "") == (path == "/api") {
				selected = append(selected, g)
			}
		}
		return groupsResponse(path, selected, aggregated)
	}
	for _, g := range groups {
		for _, v := range g.versions {
			gv := schema.GroupVersion{Group: g.name, Version: v.name}
			if path == "/apis/"+gv.String() || g.name == "" && path == "/api/"+v.name {
				return legacyResourceList(gv, v.resources)
			}
		}
	}
	return nil
}

func groupsResponse(path string, groups []testGroup, aggregated bool) any {
	if aggregated {
		items := []any{}
		for _, g := range groups {
			versions := []any{}
			for _, v := range g.versions {
				versions = append(versions, aggregatedVersionResponse(g.name, v))
			}
			items = append(items, map[string]any{"metadata": map[string]any{"name": g.name}, "versions": versions})
		}
		return map[string]any{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items}
	}
	if path == "/api" {
		versions := []string{}
		for _, g := range groups {
			for _, v := range g.versions {
				versions = append(versions, v.name)
			}
		}
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: versions}
	}
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, g := range groups {
		as := metav1.APIGroup{Name: g.name}
		for _, v := range g.versions {
			as.Versions = append(as.Versions, metav1.GroupVersionForDiscovery{GroupVersion: g.name + "/" + v.name, Version: v.name})
		}
		as.PreferredVersion = as.Versions[0]
		list.Groups = append(list.Groups, as)
	}
	return list
}

// parse returns the fields of the spec.
func (r testResource) parse() (plural, singular, kind string, short, categories []string) {
	words := append(strings.Split(r.spec, " "), "", "")
	list := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, ",")
	}
	return words[0], words[1], words[2], list(words[3]), list(words[4])
}

func legacyResourceList(gv schema.GroupVersion, resources []testResource) any {
	list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String()}
	for _, r := range resources {
		plural, singular, kind, short, categories := r.parse()
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: plural, SingularName: singular, Kind: kind, Namespaced: !r.clusterScoped, Verbs: testVerbs, ShortNames: short, Categories: categories,
		})
		for _, sub := range r.subresources {
			words := strings.Split(sub, " ")
			as := metav1.APIResource{Name: plural + "/" + words[0], SingularName: singular, Kind: words[2], Namespaced: !r.clusterScoped, Verbs: []string{"get"}}
			if words[1] != "-" {
				as.Group, as.Version, _ = strings.Cut(words[1], "/")
			}
			list.APIResources = append(list.APIResources, as)
		}
	}
	return list
}

func aggregatedVersionResponse(group string, v testVersion) any {
	kindIn := func(gv, kind string) any {
		in := schema.GroupVersion{Group: group, Version: v.name}
		if gv != "-" {
			in, _ = schema.ParseGroupVersion(gv)
		}
		return map[string]any{"group": in.Group, "version": in.Version, "kind": kind}
	}
	resources := []any{}
	for _, r := range v.resources {
		plural, singular, kind, short, categories := r.parse()
		subs := []any{}
		for _, sub := range r.subresources {
			words := strings.Split(sub, " ")
			subs = append(subs, map[string]any{"subresource": words[0], "responseKind": kindIn(words[1], words[2]), "verbs": []string{"get"}})
		}
		scope := "Namespaced"
		if r.clusterScoped {
			scope = "Cluster"
		}
		resources = append(resources, map[string]any{
			"resource": plural, "singularResource": singular, "responseKind": kindIn("-", kind), "scope": scope,
			"verbs": testVerbs, "shortNames": short, "categories": categories, "subresources": subs,
		})
	}
	freshness := "Current"
	if v.stale {
		freshness = "Stale"
	}
	return map[string]any{"version": v.name, "resources": resources, "freshness": freshness}
}
