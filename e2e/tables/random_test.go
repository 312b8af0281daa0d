package main

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"

	"github.com/thinformer/thinformer/internal/kinds"
)

// goTypes returns a scheme with the Go types of the built-in kinds.
func goTypes(t *testing.T) *runtime.Scheme {
	t.Helper()
	all := runtime.NewScheme()
	require.NoError(t, scheme.AddToScheme(all))
	require.NoError(t, apiextensionsv1.AddToScheme(all))
	return all
}

// filler generates random objects. There are few names, keys and numbers, so that elements
// of lists have equal keys.
func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.5).NumElements(1, 3).MaxDepth(14).Funcs(
		func(to *string, c randfill.Continue) { *to = string(rune('a' + c.Intn(4))) },
		func(to *int32, c randfill.Continue) { *to = int32(c.Intn(4)) },
		func(to *int64, c randfill.Continue) { *to = int64(c.Intn(4)) },
		func(to *float64, c randfill.Continue) { *to = float64(c.Intn(4)) + 0.5 },
		func(to *resource.Quantity, c randfill.Continue) { *to = resource.MustParse(fmt.Sprint(c.Intn(9))) },
		func(to *metav1.Time, c randfill.Continue) { *to = metav1.Unix(int64(c.Intn(9)), 0) },
		func(to *metav1.MicroTime, c randfill.Continue) {
			*to = metav1.NewMicroTime(time.Unix(int64(c.Intn(9)), 0))
		},
		func(to *intstr.IntOrString, c randfill.Continue) { *to = intstr.FromInt32(int32(c.Intn(4))) },
		func(to *runtime.RawExtension, c randfill.Continue) { to.Raw = []byte(`{"a":{"b":[1,{"c":2}]}}`) },
		func(to *apiextensionsv1.JSON, c randfill.Continue) { to.Raw = []byte(`{"a":{"b":[1,{"c":2}]}}`) },
		func(to *apiextensionsv1.JSONSchemaProps, c randfill.Continue) {
			to.Type, to.Required = "object", []string{"a"}
			to.Properties = map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string"}}
		},
		// Managed fields are not themselves managed.
		func(to *metav1.ManagedFieldsEntry, c randfill.Continue) {},
	)
}

// random returns the content of a random object of a kind.
func random(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, with *randfill.Filler) map[string]any {
	t.Helper()
	made, err := types.New(kind)
	require.NoError(t, err)
	with.Fill(made)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	require.NoError(t, err)
	content["apiVersion"], content["kind"] = kind.ToAPIVersionAndKind()
	return content
}

// forEachKind runs a test with random objects of each kind of the table. A failing test
// logs its seed.
func forEachKind(t *testing.T, rounds int, test func(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, with *randfill.Filler)) {
	types := goTypes(t)
	seed := rand.Int63()
	for _, r := range kinds.Builtin() {
		kind := r.GroupVersionKind()
		t.Run(kind.Kind+"."+kind.Group, func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d", seed)
				}
			}()
			with := filler(seed)
			for range rounds {
				test(t, types, kind, with)
			}
		})
	}
}
