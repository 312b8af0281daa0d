package interop_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientdiscovery "k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/discovery"
)

// served is a server's discovery: one group version per line, the preferred one of a group
// first; each resource as plural:singular:Kind:short names.
const served = `
v1 pods:pod:Pod:po events:event:Event:ev services:service:Service:svc
apps/v1 deployments:deployment:Deployment:deploy
apps/v1beta1 deployments:deployment:Deployment:deploy relics:relic:Relic:
events.k8s.io/v1 events:event:Event:ev
networking.k8s.io/v1 ingresses:ingress:Ingress:ing networkpolicies:networkpolicy:NetworkPolicy:netpol
storage.k8s.io/v1 storageclasses:storageclass:StorageClass:sc
example.com/v2 widgets:widget:Widget:wd,po relics:relic:Relic: sc:sc:ShortCircuit: people:person:Human:
example.com/v1 widgets:widget:Widget:wd
metrics.k8s.io/v1beta1 pods::PodMetrics: loads:load:Load:
`

// rest/discovery resolves words as kubectl does, which first asks client-go's mapper for a
// resource and then for a kind.
func TestWordsResolveAsInKubectl(t *testing.T) {
	server := httptest.NewServer(discoveryServer())
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	defer client.Close()
	ours := discovery.NewMapper(discovery.NewClient(client))
	asked, err := clientdiscovery.NewDiscoveryClientForConfig(&clientgo.Config{Host: server.URL})
	require.NoError(t, err)
	cached := memory.NewMemCacheClient(asked)
	kubectl := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)

	found := 0
	for _, word := range wordsToTry() {
		if forgetsVersion(word) {
			continue
		}
		want, ok := asKubectl(kubectl, word)
		got, err := ours.ForResource(t.Context(), word)
		require.Equal(t, ok, err == nil, "%s: kubectl finds %v; thinformer: %v", word, want, err)
		if ok {
			require.Equal(t, want, got.GroupVersionResource, word)
			found++
		}
	}
	require.Greater(t, found, 100)
}

// forgetsVersion reports whether client-go drops the version in the word: it does when it
// replaces a short name by the full name. In thinformer, deploy.v1beta1.apps has the
// version v1beta1.
func forgetsVersion(word string) bool {
	full, _ := schema.ParseResourceArg(word)
	short := []string{"po", "ev", "svc", "deploy", "ing", "netpol", "sc", "wd"}
	return full != nil && slices.Contains(short, full.Resource)
}

// wordsToTry returns all names, in several cases, with all groups and prefixes of groups,
// with and without all versions.
func wordsToTry() (words []string) {
	names := map[string]bool{"nothing": true, "status": true}
	groups := map[string]bool{"": true, ".nowhere": true, ".v1": true, ".v1.": true}
	for _, line := range strings.Split(strings.TrimSpace(served), "\n") {
		fields := strings.Fields(line)
		gv, _ := schema.ParseGroupVersion(fields[0])
		for _, group := range []string{gv.Group, gv.Group[:len(gv.Group)/2], gv.Group + ".x"} {
			groups["."+group], groups["."+gv.Version+"."+group], groups[".v9."+group] = true, true, true
		}
		for _, resource := range fields[1:] {
			for _, name := range strings.FieldsFunc(resource, func(r rune) bool { return r == ':' || r == ',' }) {
				names[name], names[strings.ToUpper(name)], names[strings.ToLower(name)], names[strings.ToUpper(name[:1])+name[1:]] = true, true, true, true
			}
		}
	}
	for name := range names {
		for group := range groups {
			words = append(words, name+group)
		}
	}
	return words
}

// asKubectl makes the calls of kubectl's resource builder.
func asKubectl(mapper meta.RESTMapper, word string) (schema.GroupVersionResource, bool) {
	full, part := schema.ParseResourceArg(word)
	if full != nil {
		if found, err := mapper.ResourceFor(*full); err == nil {
			return found, true
		}
	}
	if found, err := mapper.ResourceFor(part.WithVersion("")); err == nil {
		return found, true
	}
	fullKind, partKind := schema.ParseKindArg(word)
	if fullKind != nil {
		if found, err := mapper.RESTMapping(fullKind.GroupKind(), fullKind.Version); err == nil {
			return found.Resource, true
		}
	}
	found, err := mapper.RESTMapping(partKind)
	if err != nil {
		return schema.GroupVersionResource{}, false
	}
	return found.Resource, true
}

// discoveryServer responds as a server without aggregated discovery.
func discoveryServer() http.Handler {
	answers := map[string]any{}
	groups := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, line := range strings.Split(strings.TrimSpace(served), "\n") {
		fields := strings.Fields(line)
		gv, _ := schema.ParseGroupVersion(fields[0])
		list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: fields[0]}
		for _, resource := range fields[1:] {
			words := strings.Split(resource, ":")
			list.APIResources = append(list.APIResources,
				metav1.APIResource{Name: words[0], SingularName: words[1], Kind: words[2], ShortNames: strings.Split(words[3], ","), Verbs: []string{"get", "list"}},
				metav1.APIResource{Name: words[0] + "/status", Kind: words[2], Verbs: []string{"get"}})
		}
		if gv.Group == "" {
			answers["/api"] = metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{gv.Version}}
			answers["/api/"+gv.Version] = list
			continue
		}
		answers["/apis/"+fields[0]] = list
		version := metav1.GroupVersionForDiscovery{GroupVersion: fields[0], Version: gv.Version}
		if n := len(groups.Groups); n > 0 && groups.Groups[n-1].Name == gv.Group {
			groups.Groups[n-1].Versions = append(groups.Groups[n-1].Versions, version)
			continue
		}
		groups.Groups = append(groups.Groups, metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version})
	}
	answers["/apis"] = groups
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	})
}
