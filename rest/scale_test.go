package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/rest"
)

func TestScaleIsReadUpdatedAndPatched(t *testing.T) {
	api := serveBodies(t, `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","namespace":"ns","resourceVersion":"7"},"spec":{"replicas":3},"status":{"replicas":2,"selector":"a=b"}}`)
	r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	scale, err := r.GetScale(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, "GET /apis/example.com/v1/namespaces/ns/widgets/a/scale", api.last(t).String())
	require.Equal(t, int32(3), scale.Spec.Replicas)
	require.Equal(t, rest.ScaleStatus{Replicas: 2, Selector: "a=b"}, scale.Status)

	scale.Spec.Replicas = 5
	scale.TypeMeta = metav1.TypeMeta{}
	_, err = r.UpdateScale(t.Context(), "a", scale, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "PUT /apis/example.com/v1/namespaces/ns/widgets/a/scale", api.last(t).String())
	var sent rest.Scale
	require.NoError(t, json.Unmarshal([]byte(api.last(t).Body), &sent))
	require.Equal(t, metav1.TypeMeta{Kind: "Scale", APIVersion: "autoscaling/v1"}, sent.TypeMeta)
	require.Equal(t, int32(5), sent.Spec.Replicas)
	require.Equal(t, "7", sent.ResourceVersion)
	require.Empty(t, scale.Kind, "the caller's value is unchanged")

	stored, err := r.PatchScale(t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{FieldManager: "m"})
	require.NoError(t, err)
	require.Equal(t, int32(3), stored.Spec.Replicas)
	require.Equal(t, "PATCH /apis/example.com/v1/namespaces/ns/widgets/a/scale?fieldManager=m", api.last(t).String())
}

// A scale is not the object that it scales: requests with a Scale as the response are
// refused before they are sent.
func TestAScaleIsNotTheObject(t *testing.T) {
	api := serveBodies(t, `{}`)
	part := rest.NewResource[*Widget](api.client, widgets).Namespace("ns").SubResource("scale")
	_, err := part.Patch(t.Context(), "a", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	require.ErrorContains(t, err, "PatchScale")
	_, err = part.Update(t.Context(), widget("a", 1), metav1.UpdateOptions{})
	require.ErrorContains(t, err, "PatchScale")
	require.Empty(t, api.requests())
}
