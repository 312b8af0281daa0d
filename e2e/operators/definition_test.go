package operators

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

const group = "example.com"

var definitions = infoOf("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false)

// thing is an object of every custom resource.
type thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Size int `json:"size"`
	} `json:"spec"`
}

// resourceOf returns the resource of a kind such as Thing7.
func resourceOf(kind, version string) rest.ResourceInfo {
	return infoOf(group, version, strings.ToLower(kind)+"s", kind, true)
}

func definitionName(kind string) string { return resourceOf(kind, "").Resource + "." + group }

// versions are the versions of a definition, the first of which is stored.
type versions []string

// define creates the definition of a kind, and returns when objects of all its versions are
// served.
func (c *cluster) define(kind string, served versions) {
	c.t.Helper()
	c.post(kind, served)
	for _, version := range served {
		c.waitServed(resourceOf(kind, version), true)
	}
}

// post creates the definition of a kind.
func (c *cluster) post(kind string, served versions) {
	c.t.Helper()
	var all []string
	for i, version := range served {
		all = append(all, fmt.Sprintf(`{"name": %q, "served": true, "storage": %t, "schema": {"openAPIV3Schema": {"type": "object",
			"properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}}`, version, i == 0))
	}
	plural := resourceOf(kind, "").Resource
	body := fmt.Sprintf(`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": %q},
		"spec": {"group": %q, "scope": "Namespaced", "names": {"plural": %q, "singular": %q, "kind": %q}, "versions": [%s]}}`,
		definitionName(kind), group, plural, strings.ToLower(kind), kind, strings.Join(all, ", "))
	require.NoError(c.t, c.admin.GroupVersion(definitions.GroupVersion()).Post().Resource(definitions.Resource).Body([]byte(body)).Do(c.t.Context()).Error())
}

// undefine deletes the definition of a kind with its objects, and returns when it no longer
// exists.
func (c *cluster) undefine(kind string) {
	c.t.Helper()
	name := definitionName(kind)
	c.remove(definitions, "", name)
	c.eventually(func(now *assert.CollectT) {
		_, err := rest.NewView[*metav1.PartialObjectMetadata](c.admin, definitions).Get(c.t.Context(), name, metav1.GetOptions{})
		require.True(now, apierrors.IsNotFound(err), "%v", err)
	})
}

// waitServed waits until objects of a resource are served, or no longer.
func (c *cluster) waitServed(info rest.ResourceInfo, served bool) {
	c.t.Helper()
	c.eventually(func(now *assert.CollectT) {
		list, err := rest.NewView[*rest.SlimMeta](c.admin, info).List(c.t.Context(), metav1.ListOptions{Limit: 1})
		if served {
			require.NoError(now, err)
			list.Close()
			return
		}
		require.True(now, apierrors.IsNotFound(err), "%v", err)
	})
}

// newThing returns an object of a custom resource.
func newThing(namespace, name string, size int) *thing {
	o := &thing{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	o.Spec.Size = size
	return o
}
