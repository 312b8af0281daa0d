package controller_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// thing is an object of any kind of a testKind.
type thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

// testKind is a kind that a definition defines.
type testKind struct {
	group, plural, kind string
	// versions are the served versions. The first is the storage version.
	versions []string
}

func numberedKind(i int) testKind {
	return testKind{group: fmt.Sprintf("g%d.example.com", i%10), plural: fmt.Sprintf("things%d", i), kind: fmt.Sprintf("Thing%d", i), versions: []string{"v1"}}
}

// info returns the resource in its storage version.
func (k testKind) info() rest.ResourceInfo {
	return rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: k.group, Version: k.versions[0], Resource: k.plural},
		Kind:                 k.kind, Namespaced: true,
	}
}

// definition returns the CustomResourceDefinition.
func (k testKind) definition(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	var versions []map[string]any
	for i, version := range k.versions {
		versions = append(versions, map[string]any{
			"name": version, "served": true, "storage": i == 0,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
		})
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": k.plural + "." + k.group},
		"spec": map[string]any{
			"group": k.group, "scope": "Namespaced", "versions": versions,
			"names": map[string]any{"plural": k.plural, "singular": k.plural, "kind": k.kind, "listKind": k.kind + "List"},
		},
	})
	require.NoError(t, err)
	definition := new(unstructured.Unstructured)
	require.NoError(t, definition.UnmarshalJSON(text))
	return definition
}

func (k testKind) define(t *testing.T, srv *apitest.Server) {
	t.Helper()
	apitest.Create(t, srv, k.definition(t))
}

// deleteDefinition deletes the definition by a request. The server deletes the objects
// first.
func (k testKind) deleteDefinition(t *testing.T, client *rest.Client) {
	t.Helper()
	definitions := rest.NewResource[*unstructured.Unstructured](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
		Kind:                 "CustomResourceDefinition",
	})
	require.NoError(t, definitions.Delete(t.Context(), k.plural+"."+k.group, metav1.DeleteOptions{}))
}

// loseDefinition removes the definition and the objects from the server, without events
// for the objects.
func (k testKind) loseDefinition(t *testing.T, srv *apitest.Server) {
	t.Helper()
	apitest.Delete(t, srv, k.definition(t))
}

func (k testKind) create(t *testing.T, srv *apitest.Server, name string) {
	t.Helper()
	apitest.Create(t, srv, &thing{
		TypeMeta:   metav1.TypeMeta{APIVersion: k.group + "/" + k.versions[0], Kind: k.kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
	})
}
