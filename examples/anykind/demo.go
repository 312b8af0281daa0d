package main

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/thinformer/thinformer/apitest"
)

// demoLabels are the labels of all objects of the demonstration.
var demoLabels = labels.Set{"app": "demo"}

// demo creates and changes objects of any kind on the embedded server.
type demo struct {
	srv *apitest.Server
	w   *watching
}

func newDemo(srv *apitest.Server, w *watching) *demo { return &demo{srv, w} }

// createInitial creates the initial objects.
func (s *demo) createInitial() {
	if s.w.resource.Resource == "customresourcedefinitions" {
		return // the server has one already
	}
	apitest.Create(nil, s.srv, s.object("large", 9, true))
	apitest.Create(nil, s.srv, s.object("small", 1, false))
}

// makeChanges makes the changes, each after the previous one was shown.
func (s *demo) makeChanges(ctx context.Context) {
	if s.w.resource.Resource == "customresourcedefinitions" || !s.w.selector.Matches(demoLabels) {
		return
	}
	for _, change := range []func(){
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
		change()
		select {
		case <-s.w.table.rows:
		case <-ctx.Done():
			return
		}
	}
}

// object returns an object with the fields that columns of several kinds show. The
// server drops the fields that a kind does not have.
func (s *demo) object(name string, size int64, ready bool) *unstructured.Unstructured {
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
	obj.SetLabels(demoLabels)
	if s.w.resource.Namespaced {
		obj.SetNamespace("default")
		if s.w.namespace != "" {
			obj.SetNamespace(s.w.namespace)
		}
	}
	return obj
}
