package main

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/internal/kinds"
)

func decode(text []byte, to *map[string]any) error { return utiljson.Unmarshal(text, to) }

// withoutObjects has the resources that the table omits.
var withoutObjects = []string{
	"bindings", "componentstatuses", "nodes/proxy", "pods/attach", "pods/binding", "pods/eviction", "pods/exec",
	"pods/log", "pods/portforward", "pods/proxy", "serviceaccounts/token", "services/proxy",
}

// described is a resource or subresource in discovery.
type described struct {
	Singular, Kind         string
	Group, Version         string // if they differ from where it is served
	Namespaced             bool
	ShortNames, Categories []string
	Verbs                  []string
}

func root(version schema.GroupVersion) string {
	if version.Group == "" {
		return "/api/" + version.Version
	}
	return "/apis/" + version.String()
}

// The table has the resources of the real server, with the same names.
func TestResourceTableEqualsDiscovery(t *testing.T) {
	ask := real(t)
	want, got := map[string]map[string]described{}, map[string]map[string]described{}
	for _, r := range kinds.Builtin() {
		path := root(r.GroupVersion)
		if got[path] == nil {
			got[path] = map[string]described{}
			want[path] = discovered(ask.must("GET", path, nil))
		}
		got[path][r.Plural] = described{r.Singular, r.Kind, "", "", r.Namespaced, r.ShortNames, r.Categories, r.Verbs()}
		for _, sub := range r.Subresources {
			line := described{Kind: sub.Kind, Namespaced: r.Namespaced, Verbs: sub.Verbs}
			if sub.GroupVersion() != r.GroupVersion {
				line.Group, line.Version = sub.Group, sub.Version
			}
			got[path][r.Plural+"/"+sub.Name] = line
		}
	}
	for _, name := range withoutObjects {
		require.Contains(t, want["/api/v1"], name, "the real server does not have it")
		delete(want["/api/v1"], name)
	}
	require.Equal(t, want, got)
}

func discovered(list map[string]any) map[string]described {
	found := map[string]described{}
	for _, item := range list["resources"].([]any) {
		item := item.(map[string]any)
		word := func(name string) string { text, _ := item[name].(string); return text }
		words := func(name string) (texts []string) {
			list, _ := item[name].([]any)
			for _, text := range list {
				texts = append(texts, text.(string))
			}
			return texts
		}
		found[word("name")] = described{word("singularName"), word("kind"), word("group"), word("version"),
			item["namespaced"].(bool), words("shortNames"), words("categories"), words("verbs")}
	}
	return found
}

// Each kind can be selected by the fields in the table, and not by the fields of other
// kinds.
func TestSelectableFields(t *testing.T) {
	ask := real(t)
	names := map[string]bool{"foo": true, "name": true, "spec.foo": true}
	for _, r := range kinds.Builtin() {
		for _, name := range r.Fields() {
			names[name] = true
		}
	}
	for _, r := range kinds.Builtin() {
		for name := range names {
			code, answer := ask.ask("GET", root(r.GroupVersion)+"/"+r.Plural+"?fieldSelector="+url.QueryEscape(name+"=x"), nil)
			if _, err := r.Field(name); err != nil {
				assert.Equal(t, 400, code, "%s %s", r.Plural, name)
				assert.Equal(t, err.Error(), answer["message"], "%s %s", r.Plural, name)
			} else {
				assert.Equal(t, 200, code, "%s %s: %v", r.Plural, name, answer["message"])
			}
		}
	}
}

// pathOf returns the path of an object.
func pathOf(r *kinds.Resource, name string) string {
	path := root(r.GroupVersion)
	if r.Namespaced {
		path += "/namespaces/default"
	}
	return strings.TrimSuffix(path+"/"+r.Plural+"/"+name, "/")
}
