package main

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/thinformer/thinformer/apitest"
)

// demo is the label of all objects of the story.
var demo = labels.Set{"app": "demo"}

// story is what happens to objects of the chosen kind on a server in this
// process, whatever kind that is.
type story struct {
	srv *apitest.Server
	w   *watching
}

func newStory(srv *apitest.Server, w *watching) *story { return &story{srv, w} }

// begin makes what is there at first.
func (s *story) begin() {
	if s.w.resource.Resource == "customresourcedefinitions" {
		return // of which one is there
	}
	apitest.Create(nil, s.srv, s.object("large", 9, true))
	apitest.Create(nil, s.srv, s.object("small", 1, false))
}

// tell has things happen, each when the one before was shown.
func (s *story) tell(ctx context.Context) {
	if s.w.resource.Resource == "customresourcedefinitions" || !s.w.selector.Matches(demo) {
		return
	}
	for _, happens := range []func(){
		func() { apitest.Create(nil, s.srv, s.object("medium", 5, false)) },
		func() {
			ready := s.object("small", 2, true)
			apitest.Modify(nil, s.srv, ready, func(o *unstructured.Unstructured) {
				o.Object["spec"], o.Object["status"] = ready.Object["spec"], ready.Object["status"]
				o.SetAnnotations(map[string]string{"example.com/seen": "yes"})
			})
		},
		func() { apitest.Delete(nil, s.srv, s.object("large", 9, true)) },
	} {
		happens()
		select {
		case <-s.w.table.rows:
		case <-ctx.Done():
			return
		}
	}
}

// object has the fields that columns of several kinds show: whatever a kind does
// not have is dropped by the server, or does no harm.
func (s *story) object(name string, size int64, ready bool) *unstructured.Unstructured {
	status, replicas := "False", int64(0)
	if ready {
		status, replicas = "True", size
	}
	obj := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"size": size, "replicas": size},
		"status": map[string]any{
			"conditions":    []any{map[string]any{"type": "Ready", "status": status}},
			"readyReplicas": replicas, "updatedReplicas": replicas, "availableReplicas": replicas,
		},
	}}
	obj.SetGroupVersionKind(s.w.resource.GroupVersionKind())
	obj.SetName(name)
	obj.SetLabels(demo)
	if s.w.resource.Namespaced {
		obj.SetNamespace("default")
		if s.w.namespace != "" {
			obj.SetNamespace(s.w.namespace)
		}
	}
	return obj
}
