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

// server is a Kubernetes server as far as discovery sees one. Its answers are
// made from what it serves, in either form.
type server struct {
	serves     []group
	aggregated bool
	givenUp    atomic.Int32 // slow requests whose context ended

	mu     sync.Mutex
	asked  map[string]int          // per path
	broken map[string]http.Handler // per path, in place of the answer
}

// group is one with its versions, the preferred one first.
type group struct {
	name     string
	versions []versionOf
}

type versionOf struct {
	name      string
	resources []resourceOf
	stale     bool
}

// resourceOf is one line: "pods pod Pod po,p all" (plural, singular, kind, short
// names, categories), namespaced unless cluster is set.
type resourceOf struct {
	line    string
	cluster bool
	subs    []string // "scale autoscaling/v1 Scale", or "status  Pod"
}

var crud = []string{"create", "delete", "get", "list", "watch"}

// aCluster has what the rules about names need.
func aCluster() []group {
	deployments := resourceOf{line: "deployments deployment Deployment deploy all", subs: []string{"scale autoscaling/v1 Scale", "status - Deployment"}}
	return []group{
		{"", []versionOf{{name: "v1", resources: []resourceOf{
			{line: "pods pod Pod po all", subs: []string{"eviction policy/v1 Eviction", "log - Pod", "status - Pod"}},
			{line: "events event Event ev"},
			{line: "namespaces namespace Namespace ns", cluster: true},
		}}}},
		{"apps", []versionOf{
			{name: "v1", resources: []resourceOf{deployments}},
			{name: "v1beta1", resources: []resourceOf{deployments, {line: "relics relic Relic"}}},
		}},
		{"events.k8s.io", []versionOf{{name: "v1", resources: []resourceOf{{line: "events event Event ev"}}}}},
		{"storage.k8s.io", []versionOf{{name: "v1", resources: []resourceOf{{line: "storageclasses storageclass StorageClass sc", cluster: true}}}}},
		{"example.com", []versionOf{
			{name: "v2", resources: []resourceOf{
				{line: "widgets widget Widget wd,po"},
				{line: "relics relic Relic"},
				{line: "sc sc ShortCircuit"},
				{line: "people person Human"},
			}},
			{name: "v1", resources: []resourceOf{{line: "widgets widget Widget wd"}}},
		}},
		{"metrics.k8s.io", []versionOf{{name: "v1beta1", resources: []resourceOf{{line: "pods  PodMetrics"}, {line: "loads load Load"}}}}},
	}
}

func newServer(aggregated bool) *server {
	return &server{serves: aCluster(), aggregated: aggregated, asked: map[string]int{}, broken: map[string]http.Handler{}}
}

// start serves over HTTP and returns a client.
func (s *server) start(t *testing.T) *Client {
	t.Helper()
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	return connect(t, &rest.Config{Host: listening.URL})
}

// inProcess answers without a network, for bubbles.
func (s *server) inProcess(t *testing.T) *Client {
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
	return New(client)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// breaks answers a path with a status and a body.
func (s *server) breaks(path string, status int, contentType, body string) {
	s.answers(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}

func (s *server) answers(path string, with http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[path] = with
}

// heals undoes breaks and answers.
func (s *server) heals(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.broken, path)
}

// serve changes what is served.
func (s *server) serve(groups []group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serves = groups
}

// requests is how often each path was asked for.
func (s *server) requests() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.asked)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.Path]++
	broken, serves := s.broken[r.URL.Path], s.serves
	s.mu.Unlock()
	if broken != nil {
		broken.ServeHTTP(w, r)
		return
	}
	aggregated := s.aggregated && strings.HasPrefix(r.Header.Get("Accept"), acceptAggregated)
	answer := answerTo(r.URL.Path, serves, aggregated)
	if answer == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func answerTo(path string, serves []group, aggregated bool) any {
	if path == "/version" {
		return map[string]any{"major": "1", "minor": "37", "gitVersion": "v1.37.2"}
	}
	if path == "/api" || path == "/apis" {
		var here []group
		for _, g := range serves {
			if (g.name == "") == (path == "/api") {
				here = append(here, g)
			}
		}
		return groupsAnswer(path, here, aggregated)
	}
	for _, g := range serves {
		for _, v := range g.versions {
			gv := schema.GroupVersion{Group: g.name, Version: v.name}
			if path == "/apis/"+gv.String() || g.name == "" && path == "/api/"+v.name {
				return legacyList(gv, v.resources)
			}
		}
	}
	return nil
}

func groupsAnswer(path string, groups []group, aggregated bool) any {
	if aggregated {
		items := []any{}
		for _, g := range groups {
			versions := []any{}
			for _, v := range g.versions {
				versions = append(versions, aggregatedAnswer(g.name, v))
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

// words of a resource's line.
func (r resourceOf) words() (plural, singular, kind string, short, categories []string) {
	words := append(strings.Split(r.line, " "), "", "")
	list := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, ",")
	}
	return words[0], words[1], words[2], list(words[3]), list(words[4])
}

func legacyList(gv schema.GroupVersion, resources []resourceOf) any {
	list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String()}
	for _, r := range resources {
		plural, singular, kind, short, categories := r.words()
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: plural, SingularName: singular, Kind: kind, Namespaced: !r.cluster, Verbs: crud, ShortNames: short, Categories: categories,
		})
		for _, sub := range r.subs {
			words := strings.Split(sub, " ")
			as := metav1.APIResource{Name: plural + "/" + words[0], SingularName: singular, Kind: words[2], Namespaced: !r.cluster, Verbs: []string{"get"}}
			if words[1] != "-" {
				as.Group, as.Version, _ = strings.Cut(words[1], "/")
			}
			list.APIResources = append(list.APIResources, as)
		}
	}
	return list
}

func aggregatedAnswer(group string, v versionOf) any {
	kindIn := func(gv, kind string) any {
		in := schema.GroupVersion{Group: group, Version: v.name}
		if gv != "-" {
			in, _ = schema.ParseGroupVersion(gv)
		}
		return map[string]any{"group": in.Group, "version": in.Version, "kind": kind}
	}
	resources := []any{}
	for _, r := range v.resources {
		plural, singular, kind, short, categories := r.words()
		subs := []any{}
		for _, sub := range r.subs {
			words := strings.Split(sub, " ")
			subs = append(subs, map[string]any{"subresource": words[0], "responseKind": kindIn(words[1], words[2]), "verbs": []string{"get"}})
		}
		scope := "Namespaced"
		if r.cluster {
			scope = "Cluster"
		}
		resources = append(resources, map[string]any{
			"resource": plural, "singularResource": singular, "responseKind": kindIn("-", kind), "scope": scope,
			"verbs": crud, "shortNames": short, "categories": categories, "subresources": subs,
		})
	}
	freshness := "Current"
	if v.stale {
		freshness = "Stale"
	}
	return map[string]any{"version": v.name, "resources": resources, "freshness": freshness}
}
