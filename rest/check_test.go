package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

type untagged struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct{ Size int }
}

type noTagAtAll struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec struct{ Size int }
}

type partlyTagged struct {
	rest.SlimMeta `json:"metadata"`
	Spec          struct{} `json:"spec"`
	Computed      int
}

type metadataAlone struct {
	rest.SlimMeta `json:"metadata"`
	computed      int
}

// Promise: Check reports the errors of a view that a retry cannot fix, and how to
// fix them. It sends no request.
func TestCheckReportsErrorsThatRetriesCannotFix(t *testing.T) {
	api := serveBodies(t, `{}`)
	closed, err := rest.New(&rest.Config{Host: api.url})
	require.NoError(t, err)
	closed.Close()
	info := func(group, version, resource string) rest.ResourceInfo {
		return rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: group, Version: version, Resource: resource}}
	}
	check := func(info rest.ResourceInfo) error {
		return rest.NewView[*unstructured.Unstructured](api.client, info).Check()
	}
	good := info("example.com", "v1", "things")
	for what, c := range map[string]struct {
		err  error
		want string // "" if there is no error
	}{
		"nothing":         {check(good), ""},
		"a core resource": {check(info("", "v1", "pods")), ""},
		"no resource":     {check(info("", "v1", "")), `read : ResourceInfo.Resource is empty: it is the plural name in lower case`},
		"a kind":          {check(info("", "v1", "Pod")), `read Pod: ResourceInfo.Resource is "Pod": it is the plural name in lower case`},
		"a path":          {check(info("", "v1", "pods/log")), `ResourceInfo.Resource is "pods/log"`},
		"no version":      {check(info("apps", "", "deployments")), `read deployments: ResourceInfo.Version is empty: it is the version alone, such as "v1"`},
		"group/version":   {check(info("", "apps/v1", "deployments")), `ResourceInfo.Version is "apps/v1": it is the version alone`},
		"a wrong group":   {check(info("apps/v1", "v1", "deployments")), `ResourceInfo.Group is "apps/v1": it is the group alone`},
		"a namespace": {
			rest.NewView[*unstructured.Unstructured](api.client, good).Namespace("n").Check(),
			"the resource is cluster-scoped",
		},
		"a namespace that is not a path segment": {
			rest.NewView[*unstructured.Unstructured](api.client, thing).Namespace("a/b").Check(), "Namespace",
		},
		"a closed client": {
			rest.NewView[*unstructured.Unstructured](closed, good).Check(),
			"read things: the client is closed: create another one with rest.New, and close it after Run has returned",
		},
		"a type without protobuf tags": {
			rest.NewView[*untagged](api.client, good).Check(),
			"read things: rest_test.untagged cannot be decoded into: none of its fields has a json tag: add the tag `json:\"spec\"` to Spec",
		},
		"a type without any protobuf tag": {
			rest.NewView[*noTagAtAll](api.client, good).Check(),
			"it embeds v1.ObjectMeta, which must have the tag `json:\"metadata\"`",
		},
		"a type with some protobuf tags": {rest.NewView[*partlyTagged](api.client, good).Check(), ""},
		"metadata only":                  {rest.NewView[*metadataAlone](api.client, good).Check(), ""},
		"metadata only, any kind":        {rest.NewView[*metav1.PartialObjectMetadata](api.client, good).Check(), ""},
		"a resource, not a view":         {rest.NewResource[*untagged](api.client, good).Check(), "none of its fields has a json tag"},
		"a type with its own Unmarshal":  {rest.NewView[*unstructured.Unstructured](api.client, good).Check(), ""},
	} {
		if c.want == "" {
			require.NoError(t, c.err, what)
			continue
		}
		require.ErrorContains(t, c.err, c.want, what)
	}
	require.Empty(t, api.sent)
	_ = metadataAlone{}.computed
}

// A view without a Client has no Recovery, and a factory that stops its informer, which
// never ran, does not fail.
func TestAViewWithoutAClientHasNoRecovery(t *testing.T) {
	recovery := rest.NewView[*Widget](nil, widgets).Recovery()
	require.Nil(t, recovery)
	require.Nil(t, recovery.Join())
}
