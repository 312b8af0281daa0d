package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

func TestSubResourcesOfOtherTypes(t *testing.T) {
	type eviction struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
	}
	api := serveBodies(t, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	body := &eviction{TypeMeta: metav1.TypeMeta{APIVersion: "policy/v1", Kind: "Eviction"}}
	body.Name = "a"
	var answer metav1.Status
	require.NoError(t, r.SubResource("eviction").Create(t.Context(), "a", body, &answer, metav1.CreateOptions{}))
	require.Equal(t, "POST /apis/example.com/v1/namespaces/ns/widgets/a/eviction", api.last(t).String())
	require.JSONEq(t, `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"}}`, api.last(t).Body)
	require.Equal(t, "Success", answer.Status)
	require.NoError(t, r.SubResource("eviction").Create(t.Context(), "a", body, nil, metav1.CreateOptions{}))
}
