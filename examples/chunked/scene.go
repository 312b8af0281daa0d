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

// ConfigMap is what this program needs of one.
type ConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

var configMaps = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:                 "ConfigMap", Namespaced: true,
}

// scene is what there is to see: two config maps, and what happens to them.
type scene struct {
	namespace string
	maps      *rest.Resource[*ConfigMap]
	changes   []func(context.Context) error
}

const (
	first, second = "chunked-first", "chunked-second"
	selector      = "app=chunked"
	// events are how many a watch of the scene has.
	events = 5
)

func newScene(client *rest.Client, namespace string) *scene {
	s := &scene{namespace: namespace, maps: rest.NewResource[*ConfigMap](client, configMaps).Namespace(namespace)}
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

// begin makes what there is before the watch.
func (s *scene) begin(ctx context.Context) error {
	if err := s.end(ctx); err != nil { // of a run that was killed
		return err
	}
	for _, name := range []string{first, second} {
		object := &ConfigMap{Data: map[string]string{"ttl": "30"}}
		object.Name, object.Labels = name, map[string]string{"app": "chunked"}
		if _, err := s.maps.Create(ctx, object, metav1.CreateOptions{FieldManager: "chunked"}); err != nil {
			return fmt.Errorf("make something to watch: %w", err)
		}
	}
	return nil
}

// next changes something; false is the end of the scene.
func (s *scene) next(ctx context.Context) (bool, error) {
	if len(s.changes) == 0 {
		return false, nil
	}
	change := s.changes[0]
	s.changes = s.changes[1:]
	return true, change(ctx)
}

// end removes what is left, also when ctx has ended.
func (s *scene) end(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return errors.Join(s.remove(ctx, first), s.remove(ctx, second))
}

func (s *scene) remove(ctx context.Context, name string) error {
	err := s.maps.Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// watched is the scene as a client sees it.
func (s *scene) watched(client *rest.Client) *rest.View[*ConfigMap] {
	return rest.NewView[*ConfigMap](client, configMaps).Namespace(s.namespace)
}
