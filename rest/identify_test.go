package rest

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The message of a server often does not name the request. The error adds verb,
// resource, namespace and name, and remains a StatusError.
func TestTheErrorOfAServerNamesTheRequest(t *testing.T) {
	const failure = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"an error on the server (\"\") has prevented the request from succeeding","reason":"InternalError","code":500}`
	info := ResourceInfo{GroupVersionResource: appsV1.WithResource("deployments"), Namespaced: true, Kind: "Deployment"}
	get := func(v *View[*SlimMeta]) error {
		_, err := v.Get(t.Context(), "web", metav1.GetOptions{})
		return err
	}
	list := func(v *View[*SlimMeta]) error {
		_, err := v.List(t.Context(), metav1.ListOptions{})
		return err
	}
	watch := func(v *View[*SlimMeta]) error {
		w, err := v.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		_, err = w.Next(t.Context())
		return err
	}
	for name, c := range map[string]struct {
		send   func(*View[*SlimMeta]) error
		answer answer
		want   string
	}{
		"a Status":                    {get, respondsWith(500, failure), "(get deployments.apps shop/web)"},
		"a Status with 200":           {get, respondsWith(200, failure), "(get deployments.apps shop/web)"},
		"text":                        {list, respondsWith(500, "etcd is gone"), `an error on the server ("etcd is gone") has prevented the request from succeeding (list deployments.apps in namespace shop)`},
		"nothing":                     {watch, respondsWith(503, ""), "(watch deployments.apps in namespace shop)"},
		"429":                         {watch, respondsWith(429, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"slow down","reason":"TooManyRequests","code":429}`), "slow down (watch deployments.apps in namespace shop)"},
		"an ERROR event":              {watch, respondsWith(200, `{"type":"ERROR","object":`+failure+`}`), "(watch deployments.apps in namespace shop)"},
		"a 404 that names the object": {get, respondsWith(404, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"deployments.apps \"web\" not found","reason":"NotFound","code":404}`), `deployments.apps "web" not found`},
		"a 404 without a message":     {get, respondsWith(404, ""), "(get deployments.apps shop/web)"},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := scripted(t, Config{}, c.answer)
			err := c.send(NewView[*SlimMeta](client, info).Namespace("shop"))
			var status *apierrors.StatusError
			require.ErrorAs(t, err, &status)
			require.Contains(t, err.Error(), c.want)
			require.NotContains(t, err.Error(), ") (", "the request is named once: %v", err)
		})
	}
}
