package apitest_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// Greeting is the Go type of a custom resource.
type Greeting struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Name     string `json:"name"`
		Language string `json:"language,omitempty"`
	} `json:"spec"`
}

var greetings = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "greetings"},
	Kind:                 "Greeting",
	Namespaced:           true,
}

// The definition that is also applied to the cluster. A program would embed the
// file.
var crdYAML = []byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: greetings.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: greetings, kind: Greeting}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              name: {type: string}
              language: {type: string, default: en}
`)

// A custom resource is served once its definition is created, from the same
// file that is applied to the cluster.
func ExampleCreate_customResource() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	definition := new(unstructured.Unstructured)
	if err := yaml.Unmarshal(crdYAML, &definition.Object); err != nil {
		fmt.Println(err)
		return
	}
	apitest.Create(nil, srv, definition) // nil replaces the t of a test

	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	hello := &Greeting{ObjectMeta: metav1.ObjectMeta{Name: "hello"}}
	hello.Spec.Name = "World"
	hello, err = rest.NewResource[*Greeting](client, greetings).Namespace("default").Create(context.Background(), hello, metav1.CreateOptions{})
	fmt.Println(hello.Spec, err) // the default of the schema is set

	hello = apitest.Get(nil, srv, hello)
	fmt.Println(hello.Namespace, hello.Name)
	// Output:
	// {World en} <nil>
	// default hello
}
