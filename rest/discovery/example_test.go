package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/discovery"
)

// newServer returns a server with pods and deployments.
func newServer() *httptest.Server {
	responses := map[string]string{
		"/version": `{"major": "1", "minor": "37", "gitVersion": "v1.37.2"}`,
		"/api": `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
			{"metadata": {"name": ""}, "versions": [{"version": "v1", "freshness": "Current", "resources": [
				{"resource": "pods", "singularResource": "pod", "shortNames": ["po"], "scope": "Namespaced",
				 "responseKind": {"group": "", "version": "v1", "kind": "Pod"}, "verbs": ["get", "list", "watch"]}]}]}]}`,
		"/apis": `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
			{"metadata": {"name": "apps"}, "versions": [{"version": "v1", "freshness": "Current", "resources": [
				{"resource": "deployments", "singularResource": "deployment", "shortNames": ["deploy"], "scope": "Namespaced",
				 "responseKind": {"group": "apps", "version": "v1", "kind": "Deployment"}, "verbs": ["get", "list", "watch"]}]}]},
			{"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1beta1", "freshness": "Stale", "resources": []}]}]}`,
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, responses[r.URL.Path])
	}))
}

// A Mapper finds resources by name or by kind, and caches the resources of the
// server.
func ExampleMapper() {
	server := newServer()
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	mapper := discovery.NewMapper(discovery.NewClient(client))

	ctx := context.Background()
	found, err := mapper.ForResource(ctx, "deploy")
	fmt.Println(found.GroupVersionResource, found.Kind, found.Namespaced, err)

	found, err = mapper.ForKind(ctx, schema.GroupVersionKind{Kind: "Pod"})
	fmt.Println(found.GroupVersion(), found.Resource, err)

	_, err = mapper.ForResource(ctx, "nodes.metrics.k8s.io")
	var noMatch *discovery.NoMatchError
	fmt.Println(errors.As(err, &noMatch), errors.Is(err, discovery.ErrStale))
	// Output:
	// apps/v1, Resource=deployments Deployment true <nil>
	// v1 pods <nil>
	// true true
}

// Partial failures do not hide the other results.
func ExampleClient() {
	server := newServer()
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	ctx := context.Background()
	d := discovery.NewClient(client)
	version, err := d.ServerVersion(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(version.GitVersion)

	_, lists, err := d.ServerGroupsAndResources(ctx)
	var partial *discovery.PartialError
	if err != nil && !errors.As(err, &partial) {
		fmt.Println(err)
		return
	}
	for _, list := range lists {
		fmt.Println(list.GroupVersion, list.APIResources[0].Name)
	}
	for gv := range partial.Failed {
		fmt.Println(gv, "failed")
	}
	// Output:
	// v1.37.2
	// v1 pods
	// apps/v1 deployments
	// metrics.k8s.io/v1beta1 failed
}
