package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/discovery"
)

// establishTimeout is the timeout of establishing a definition.
const establishTimeout = 30 * time.Second

// install applies every object of a file, as kubectl apply --server-side does, and waits
// until the defined resources are served. A conflict with another field manager is an
// error.
func (c *Cluster) install(ctx context.Context, file []byte, out io.Writer) error {
	objects, err := read(file)
	if err != nil {
		return err
	}
	mapper := discovery.NewMapper(discovery.NewClient(c.Client))
	for _, obj := range objects {
		object := obj.GetKind() + " " + obj.GetName()
		found, err := mapper.ForKind(ctx, obj.GroupVersionKind())
		if err != nil {
			return fmt.Errorf("install %s: %w", object, err)
		}
		target := rest.NewResource[*unstructured.Unstructured](c.Client, found.ResourceInfo)
		if found.Namespaced && obj.GetNamespace() == "" {
			target = target.Namespace(c.Namespace)
		}
		if _, err := target.Apply(ctx, obj, metav1.ApplyOptions{FieldManager: "thinformer-examples"}); err != nil {
			return fmt.Errorf("install %s: %w", object, err)
		}
		if isDefinition(obj) {
			err := established(ctx, target.View, obj.GetName())
			if err == nil {
				err = c.discovered(ctx, obj.GetName())
			}
			if err != nil {
				return fmt.Errorf("install %s: %w", object, err)
			}
		}
		fmt.Fprintln(out, "installed:", object)
	}
	return nil
}

// established waits until a definition is established.
func established(ctx context.Context, definitions *rest.View[*unstructured.Unstructured], name string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, establishTimeout, fmt.Errorf("not established after %v", establishTimeout))
	defer cancel()
	watch, err := definitions.Watch(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()})
	if err != nil {
		return err
	}
	defer watch.Stop()
	for {
		event, err := watch.Next(ctx) // the first event is the current state
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case condition(event.Object, "Established"):
			return nil
		}
	}
}

// discovered waits until discovery lists a resource and the server serves it, which a
// server does some time after the definition is established.
func (c *Cluster) discovered(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, establishTimeout, fmt.Errorf("not served after %v", establishTimeout))
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		found, err := discovery.NewMapper(discovery.NewClient(c.Client)).ForResource(ctx, name)
		if err == nil {
			list, listErr := rest.NewView[*rest.SlimMeta](c.Client, found.ResourceInfo).List(ctx, metav1.ListOptions{Limit: 1})
			if listErr == nil {
				list.Close()
				return nil
			}
			err = listErr
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// condition reports whether a condition of an object is "True".
func condition(obj *unstructured.Unstructured, kind string) bool {
	all, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, each := range all {
		if c, ok := each.(map[string]any); ok && c["type"] == kind {
			return c["status"] == "True"
		}
	}
	return false
}

// served returns an error if the server lacks a resource that a file defines.
func (c *Cluster) served(ctx context.Context, file []byte) error {
	objects, err := read(file)
	if err != nil {
		return err
	}
	mapper := discovery.NewMapper(discovery.NewClient(c.Client))
	for _, obj := range objects {
		if !isDefinition(obj) {
			continue
		}
		if _, err := mapper.ForResource(ctx, obj.GetName()); meta.IsNoMatchError(err) {
			return fmt.Errorf("the server has no %s: run with -install, or kubectl apply -f crd.yaml", obj.GetName())
		} else if err != nil {
			return err
		}
	}
	return nil
}

func isDefinition(obj *unstructured.Unstructured) bool {
	return obj.GetKind() == "CustomResourceDefinition"
}

// read parses the documents of a file.
func read(file []byte) (objects []*unstructured.Unstructured, err error) {
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(file), 1024)
	for {
		obj := new(unstructured.Unstructured)
		switch err := documents.Decode(&obj.Object); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("read the objects to install: %w", err)
		case len(obj.Object) > 0:
			objects = append(objects, obj)
		}
	}
}
