package main

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/interop/controllers/steps"
)

var (
	namespacesResource  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitionsResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	widgetsResource     = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	gadgetsResource     = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}
)

// definition defines widgets. Gadgets have the same schema.
//
//go:embed crd.yaml
var definition string

// users acts as the users of the cluster, which write widgets and gadgets.
type users struct {
	ctx              context.Context
	namespace        string
	widgets, gadgets dynamic.ResourceInterface
	recorder         *steps.Recorder
}

// newUsers defines both kinds and creates a namespace with one widget.
func newUsers(ctx context.Context, client dynamic.Interface, discoverer discovery.DiscoveryInterface, recorder *steps.Recorder) (*users, error) {
	gadgets := strings.NewReplacer("widget", "gadget", "Widget", "Gadget").Replace(definition)
	for resource, text := range map[schema.GroupVersionResource]string{widgetsResource: definition, gadgetsResource: gadgets} {
		if err := define(ctx, client, discoverer, resource, text); err != nil {
			return nil, fmt.Errorf("define %s: %w", resource.Resource, err)
		}
	}
	namespace, err := client.Resource(namespacesResource).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"generateName": "dynamic-"},
	}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	u := &users{ctx: ctx, namespace: namespace.GetName(), recorder: recorder}
	u.widgets = client.Resource(widgetsResource).Namespace(u.namespace)
	u.gadgets = client.Resource(gadgetsResource).Namespace(u.namespace)
	return u, u.create("lamp", 3)()
}

// define creates a definition if it does not exist, and waits until its objects are served
// and can be discovered.
func define(ctx context.Context, client dynamic.Interface, discoverer discovery.DiscoveryInterface, resource schema.GroupVersionResource, text string) error {
	object := new(unstructured.Unstructured)
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		return err
	}
	if _, err := client.Resource(definitionsResource).Create(ctx, object, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		if _, err := client.Resource(resource).List(ctx, metav1.ListOptions{}); err != nil {
			return false, nil
		}
		found, err := discover(discoverer, resource.Group, resource.Version)
		return err == nil && slices.Contains(found, resource), nil
	})
}

// play creates, changes and deletes widgets and gadgets.
func (u *users) play() error {
	for _, step := range []struct {
		title string
		do    func() error
		want  []string
	}{
		{"initial objects", func() error { return nil }, []string{"lamp is in the initial list of widgets", "lamp: Size3"}},
		{"a widget without a size", u.create("box", 0), []string{"box: Empty"}},
		{"it gets a size", u.resize("box", 8), []string{"box: Size8"}},
		{"its status is overwritten", u.overwriteStatus("box"), []string{"box: Size8"}},
		{"a gadget", u.createGadget("wheel", 5), []string{"wheel: Size5"}},
		{"it is deleted", u.deleteGadget("wheel"), []string{"wheel: cleanup is done", "wheel was deleted"}},
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
	return u.createIn(u.widgets, "Widget", name, size)
}

func (u *users) createGadget(name string, size int64) func() error {
	return u.createIn(u.gadgets, "Gadget", name, size)
}

func (u *users) createIn(resource dynamic.ResourceInterface, kind, name string, size int64) func() error {
	return func() error {
		_, err := resource.Create(u.ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": kind,
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

func (u *users) deleteGadget(name string) func() error {
	return func() error { return u.gadgets.Delete(u.ctx, name, metav1.DeleteOptions{}) }
}
