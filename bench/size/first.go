package size

import (
	"context"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/rest"
)

// serverRole is the role of the process with the server.
const serverRole = "size/server"

// Roles returns the roles of the child processes of these cases.
func Roles() map[string]process.Role {
	return map[string]process.Role{serverRole: process.Serving(serveObjects)}
}

var (
	widgets = rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
		Kind:                 "Widget",
		Namespaced:           true,
	}
	configMaps = rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		Kind:                 "ConfigMap",
		Namespaced:           true,
	}
)

// serveObjects returns a server with one object for each kind of program.
func serveObjects(struct{}) http.Handler {
	srv := apitest.NewServer(apitest.Options{InMemory: true, Resources: []apitest.Resource{{ResourceInfo: widgets}}})
	client := must(rest.New(srv.Config()))
	create(client, widgets, map[string]any{"spec": map[string]any{"replicas": int64(1)}})
	create(client, configMaps, map[string]any{"data": map[string]any{"replicas": "1"}})
	return srv
}

func create(client *rest.Client, info rest.ResourceInfo, content map[string]any) {
	object := &unstructured.Unstructured{Object: content}
	object.SetNamespace("default")
	object.SetName("first")
	_, err := rest.NewResource[*unstructured.Unstructured](client, info).Create(context.Background(), object, metav1.CreateOptions{})
	check(err)
}

// first returns a side of start/first-reconcile.
func first(main program, others []program) harness.Side {
	return func(m *harness.Meter) {
		address, stop := process.Serve(serverRole, struct{}{})
		defer stop()
		_ = main.firstReconcile(address) // the server warms up
		m.Report("", median(starts, func() time.Duration { return main.firstReconcile(address) }))
		for _, other := range others {
			m.Report(other.name, median(3, func() time.Duration { return other.firstReconcile(address) }))
		}
	}
}

// median returns the median of n measurements, in milliseconds.
func median(n int, measure func() time.Duration) float64 {
	var took []time.Duration
	for range n {
		took = append(took, measure())
	}
	slices.Sort(took)
	return float64(took[n/2].Nanoseconds()) / 1e6
}
