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
func (d *demo) createInitial() {
	if d.w.resource.Resource == "customresourcedefinitions" {
		return // the server has one already
	}
	apitest.Create(nil, d.srv, d.object("large", 9, true))
	apitest.Create(nil, d.srv, d.object("small", 1, false))
}

// makeChanges makes the changes, each after the previous one was shown.
func (d *demo) makeChanges(ctx context.Context) {
	if d.w.resource.Resource == "customresourcedefinitions" || !d.w.selector.Matches(demoLabels) {
		return
	}
	for _, change := range []func(){
		func() { apitest.Create(nil, d.srv, d.object("medium", 5, false)) },
		func() {
			ready := d.object("small", 2, true)
			apitest.Modify(nil, d.srv, ready, func(o *unstructured.Unstructured) {
				o.Object["spec"], o.Object["status"] = ready.Object["spec"], ready.Object["status"]
				o.SetAnnotations(map[string]string{"example.com/seen": "yes"})
			})
		},
		func() { apitest.Delete(nil, d.srv, d.object("large", 9, true)) },
	} {
		change()
		select {
		case <-d.w.table.rows:
		case <-ctx.Done():
			return
		}
	}
}

// object returns an object with the fields that columns of several kinds show. The
// server drops the fields that a kind does not have.
func (d *demo) object(name string, size int64, ready bool) *unstructured.Unstructured {
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
	obj.SetGroupVersionKind(d.w.resource.GroupVersionKind())
	obj.SetName(name)
	obj.SetLabels(demoLabels)
	if d.w.resource.Namespaced {
		obj.SetNamespace("default")
		if d.w.namespace != "" {
			obj.SetNamespace(d.w.namespace)
		}
	}
	return obj
}
