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

// patience is how long a server may take until a new definition is in force.
const patience = 30 * time.Second

// install applies every object of a file, as kubectl apply --server-side does,
// and waits until what it defines is served. What somebody else has set to
// another value is left as it is, and is an error.
func (c *Cluster) install(ctx context.Context, file []byte, out io.Writer) error {
	objects, err := read(file)
	if err != nil {
		return err
	}
	mapper := discovery.NewMapper(discovery.New(c.Client))
	for _, obj := range objects {
		what := obj.GetKind() + " " + obj.GetName()
		found, err := mapper.ForKind(ctx, obj.GroupVersionKind())
		if err != nil {
			return fmt.Errorf("install %s: %w", what, err)
		}
		target := rest.NewResource[*unstructured.Unstructured](c.Client, found.ResourceInfo)
		if found.Namespaced && obj.GetNamespace() == "" {
			target = target.Namespace(c.Namespace)
		}
		if _, err := target.Apply(ctx, obj, metav1.ApplyOptions{FieldManager: "thinformer-examples"}); err != nil {
			return fmt.Errorf("install %s: %w", what, err)
		}
		if isDefinition(obj) {
			if err := established(ctx, target.View, obj.GetName()); err != nil {
				return fmt.Errorf("install %s: %w", what, err)
			}
		}
		fmt.Fprintln(out, "installed:", what)
	}
	return nil
}

// established waits until the server says that a definition is in force.
func established(ctx context.Context, definitions *rest.View[*unstructured.Unstructured], name string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not established after %v", patience))
	defer cancel()
	watch, err := definitions.Watch(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()})
	if err != nil {
		return err
	}
	defer watch.Stop()
	for {
		event, err := watch.Next(ctx) // the present state comes first
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

// condition is whether a condition of an object is "True".
func condition(obj *unstructured.Unstructured, kind string) bool {
	all, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, each := range all {
		if c, ok := each.(map[string]any); ok && c["type"] == kind {
			return c["status"] == "True"
		}
	}
	return false
}

// served is an error if the server does not have what a file defines.
func (c *Cluster) served(ctx context.Context, file []byte) error {
	objects, err := read(file)
	if err != nil {
		return err
	}
	mapper := discovery.NewMapper(discovery.New(c.Client))
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

// read reads the documents of a file.
func read(file []byte) (objects []*unstructured.Unstructured, err error) {
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(file), 1024)
	for {
		obj := new(unstructured.Unstructured)
		switch err := documents.Decode(&obj.Object); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("read what to install: %w", err)
		case len(obj.Object) > 0:
			objects = append(objects, obj)
		}
	}
}
