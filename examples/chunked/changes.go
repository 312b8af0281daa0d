package main

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/rest"
)

// ConfigMap has the fields that this program needs.
type ConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

var configMaps = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:                 "ConfigMap", Namespaced: true,
}

// demoObjects are two config maps that the program watches, and the changes that it makes.
type demoObjects struct {
	namespace string
	maps      *rest.Resource[*ConfigMap]
	changes   []func(context.Context) error
}

const (
	first, second = "chunked-first", "chunked-second"
	selector      = "app=chunked"
	// events is the number of events of the watch.
	events = 5
)

func newDemoObjects(client *rest.Client, namespace string) *demoObjects {
	s := &demoObjects{namespace: namespace, maps: rest.NewResource[*ConfigMap](client, configMaps).Namespace(namespace)}
	s.changes = []func(context.Context) error{
		func(ctx context.Context) error {
			_, err := s.maps.Patch(ctx, first, types.MergePatchType, []byte(`{"data":{"ttl":"31"}}`), metav1.PatchOptions{FieldManager: "chunked"})
			return err
		},
		func(ctx context.Context) error { return s.remove(ctx, second) },
		func(ctx context.Context) error { return s.remove(ctx, first) },
	}
	return s
}

// create creates the objects that exist before the watch.
func (o *demoObjects) create(ctx context.Context) error {
	if err := o.cleanUp(ctx); err != nil { // left by a run that was killed
		return err
	}
	for _, name := range []string{first, second} {
		object := &ConfigMap{Data: map[string]string{"ttl": "30"}}
		object.Name, object.Labels = name, map[string]string{"app": "chunked"}
		if _, err := o.maps.Create(ctx, object, metav1.CreateOptions{FieldManager: "chunked"}); err != nil {
			return fmt.Errorf("create the objects: %w", err)
		}
	}
	return nil
}

// next makes the next change; it returns false after the last one.
func (o *demoObjects) next(ctx context.Context) (bool, error) {
	if len(o.changes) == 0 {
		return false, nil
	}
	change := o.changes[0]
	o.changes = o.changes[1:]
	return true, change(ctx)
}

// cleanUp deletes the remaining objects, even if ctx has ended.
func (o *demoObjects) cleanUp(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return errors.Join(o.remove(ctx, first), o.remove(ctx, second))
}

func (o *demoObjects) remove(ctx context.Context, name string) error {
	err := o.maps.Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// view returns a view of the objects.
func (o *demoObjects) view(client *rest.Client) *rest.View[*ConfigMap] {
	return rest.NewView[*ConfigMap](client, configMaps).Namespace(o.namespace)
}
