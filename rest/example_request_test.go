package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/rest"
)

// respond returns a server that sends the same response to every request.
func respond(code int, body string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}))
}

// A result decodes into any struct: types are not registered in a scheme.
func ExampleRequest() {
	server := respond(200, `{"kind":"Widget","metadata":{"name":"gear"},"spec":{"teeth":24}}`)
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	var gear struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Teeth int `json:"teeth"`
		} `json:"spec"`
	}
	widgets := client.GroupVersion(schema.GroupVersion{Group: "example.com", Version: "v1"})
	err = widgets.Get().Namespace("shop").Resource("widgets").Name("gear").Do(context.Background()).Into(&gear)
	fmt.Println(gear.Name, gear.Spec.Teeth, err)
	// Output: gear 24 <nil>
}

// A request shows its URL before it is sent.
func ExampleRequest_URL() {
	client, err := rest.New(&rest.Config{Host: "https://server:6443"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	apps := client.GroupVersion(schema.GroupVersion{Group: "apps", Version: "v1"})
	fmt.Println(apps.Get().Namespace("shop").Resource("deployments").
		VersionedParams(&metav1.ListOptions{LabelSelector: "app=web", Limit: 5}, metav1.ParameterCodec).URL())
	fmt.Println(apps.Patch(types.MergePatchType).Namespace("shop").Resource("deployments").Name("web").SubResource("scale").URL())
	fmt.Println(client.Get().AbsPath("/healthz").URL())
	fmt.Println(apps.Get().Namespace("../..").Resource("deployments").Error())
	// Output:
	// https://server:6443/apis/apps/v1/namespaces/shop/deployments?labelSelector=app%3Dweb&limit=5
	// https://server:6443/apis/apps/v1/namespaces/shop/deployments/web/scale
	// https://server:6443/healthz
	// Namespace: it must not contain '/', as it does after ".."
}

// Errors are those of apimachinery.
func ExampleResult_Error() {
	server := respond(404, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"widgets \"gear\" not found","code":404}`)
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	err = client.Get().AbsPath("/apis/example.com/v1/widgets/gear").Do(context.Background()).Error()
	fmt.Println(apierrors.IsNotFound(err), err)
	// Output: true widgets "gear" not found
}

// A change that is based on a read object is repeated after a conflict.
func ExampleRetryOnConflict() {
	tries := 0
	err := rest.RetryOnConflict(context.Background(), func(ctx context.Context) error {
		tries++ // get the object, change it, update it
		if tries < 3 {
			return apierrors.NewConflict(schema.GroupResource{Resource: "widgets"}, "gear", nil)
		}
		return nil
	})
	fmt.Println(tries, err)
	// Output: 3 <nil>
}

// WithTrace reports the requests of a context, like net/http/httptrace.
func ExampleWithTrace() {
	server := respond(201, `{"metadata":{"name":"gear","namespace":"shop","resourceVersion":"7"}}`)
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	ctx := rest.WithTrace(context.Background(), &rest.Trace{
		RequestDone: func(request rest.RequestInfo, response rest.ResponseInfo) {
			fmt.Println(request.Verb, request.Path, response.Status)
		},
		Wrote: func(w rest.WriteInfo) { fmt.Println(w.Verb, w.Namespace, w.Name, w.ResourceVersion) },
	})
	_, err = client.GroupVersion(schema.GroupVersion{Group: "example.com", Version: "v1"}).
		Post().Namespace("shop").Resource("widgets").Body(map[string]any{"metadata": map[string]any{"name": "gear"}}).DoRaw(ctx)
	fmt.Println(err)
	// Output:
	// create /apis/example.com/v1/namespaces/shop/widgets 201
	// create shop gear 7
	// <nil>
}
