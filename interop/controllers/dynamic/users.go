package main

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/interop/controllers/steps"
)

var (
	namespacesResource  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitionsResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	widgetsResource     = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
)

//go:embed crd.yaml
var definition []byte

// users acts as the users of the cluster, which write widgets.
type users struct {
	ctx       context.Context
	namespace string
	widgets   dynamic.ResourceInterface
	recorder  *steps.Recorder
}

// newUsers defines widgets and creates a namespace with one widget.
func newUsers(ctx context.Context, client dynamic.Interface, recorder *steps.Recorder) (*users, error) {
	if err := define(ctx, client); err != nil {
		return nil, fmt.Errorf("define widgets: %w", err)
	}
	namespace, err := client.Resource(namespacesResource).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"generateName": "dynamic-"},
	}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	u := &users{ctx: ctx, namespace: namespace.GetName(), recorder: recorder}
	u.widgets = client.Resource(widgetsResource).Namespace(u.namespace)
	return u, u.create("lamp", 3)()
}

// define creates the definition of widgets if it does not exist, and waits until they are
// served.
func define(ctx context.Context, client dynamic.Interface) error {
	widgets := new(unstructured.Unstructured)
	if err := yaml.Unmarshal(definition, &widgets.Object); err != nil {
		return err
	}
	if _, err := client.Resource(definitionsResource).Create(ctx, widgets, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := client.Resource(widgetsResource).List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
}

// play creates, changes and deletes widgets.
func (u *users) play() error {
	for _, step := range []struct {
		title string
		do    func() error
		want  []string
	}{
		{"initial objects", func() error { return nil }, []string{"lamp is in the initial list", "lamp: Size3"}},
		{"a widget without a size", u.create("box", 0), []string{"box: Empty"}},
		{"it gets a size", u.resize("box", 8), []string{"box: Size8"}},
		{"its status is overwritten", u.overwriteStatus("box"), []string{"box: Size8"}},
		{"lamp is deleted", u.delete("lamp"), []string{"lamp: cleanup is done", "lamp was deleted"}},
		{"lamp is created again", u.create("lamp", 4), []string{"lamp: Size4"}},
		{"lamp is deleted again", u.delete("lamp"), []string{"lamp: cleanup is done", "lamp was deleted"}},
		{"box is deleted", u.delete("box"), []string{"box: cleanup is done", "box was deleted"}},
	} {
		if err := u.recorder.Step(step.title, step.do, step.want...); err != nil {
			return err
		}
	}
	return u.recorder.Step("the end", func() error { return nil })
}

func (u *users) create(name string, size int64) func() error {
	return func() error {
		_, err := u.widgets.Create(u.ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget",
			"metadata": map[string]any{"name": name},
			"spec":     map[string]any{"size": size},
		}}, metav1.CreateOptions{})
		return err
	}
}

func (u *users) resize(name string, size int64) func() error {
	patch := fmt.Appendf(nil, `{"spec":{"size":%d}}`, size)
	return func() error {
		_, err := u.widgets.Patch(u.ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

func (u *users) overwriteStatus(name string) func() error {
	return func() error {
		_, err := u.widgets.Patch(u.ctx, name, types.MergePatchType, []byte(`{"status":{"phase":"Unknown"}}`), metav1.PatchOptions{}, "status")
		return err
	}
}

func (u *users) delete(name string) func() error {
	return func() error { return u.widgets.Delete(u.ctx, name, metav1.DeleteOptions{}) }
}
