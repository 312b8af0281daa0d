package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/rest"
)

// Update replaces the stored object by obj. Fields that T does not have are
// lost; use [Modify] to keep them. If obj has a resourceVersion, it must be the
// current one. An update that changes nothing assigns no new version.
func Update[T rest.Object](t TB, s *Server, obj T) T {
	if t != nil {
		t.Helper()
	}
	updated, err := replace(s, obj)
	check(t, "update", err)
	return updated
}

func replace[T rest.Object](s *Server, obj T) (updated T, err error) {
	for {
		updated, err = update(s, obj, func(h *inputObject, current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			if now := current.GetResourceVersion(); h.version != "" && h.version != now {
				return nil, fmt.Errorf("%s: the resourceVersion %s is not the current one, %s", h, h.version, now)
			}
			return h.object()
		})
		if !errors.Is(err, storage.ErrConflict) {
			return updated, err
		}
	}
}

// Modify changes the object with the kind, namespace and name of like by a
// function, regardless of its version. It stores only the fields that the
// function changes, so T need not have all fields. The function is called again
// if the object changed meanwhile.
func Modify[T rest.Object](t TB, s *Server, like T, change func(T)) T {
	if t != nil {
		t.Helper()
	}
	modified, err := modify(s, like, change)
	check(t, "modify", err)
	return modified
}

func modify[T rest.Object](s *Server, like T, change func(T)) (modified T, err error) {
	for {
		obj, err := read(s, like)
		if err != nil {
			return modified, err
		}
		before, err := tree(obj)
		if err != nil {
			return modified, err
		}
		version := obj.GetResourceVersion()
		change(obj)
		after, err := tree(obj)
		if err != nil {
			return modified, err
		}
		modified, err = update(s, like, func(_ *inputObject, current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			if current.GetResourceVersion() != version {
				return nil, storage.ErrConflict
			}
			return &unstructured.Unstructured{Object: overlaid(current.Object, before, after)}, nil
		})
		if !errors.Is(err, storage.ErrConflict) {
			return modified, err
		}
	}
}

// tree returns the decoded JSON of an object.
func tree(obj any) (map[string]any, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", obj, err)
	}
	read, err := objects.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", obj, err)
	}
	return read.Object, nil
}

// overlaid returns a tree with the differences between two others applied to
// it.
func overlaid(onto, before, after map[string]any) map[string]any {
	onto = maps.Clone(onto)
	if onto == nil {
		onto = map[string]any{}
	}
	for name := range before {
		if _, still := after[name]; !still {
			delete(onto, name)
		}
	}
	for name, value := range after {
		if reflect.DeepEqual(value, before[name]) {
			continue
		}
		old, _ := before[name].(map[string]any)
		inner, isMap := value.(map[string]any)
		if stored, ok := onto[name].(map[string]any); ok && isMap {
			value = overlaid(stored, old, inner)
		}
		onto[name] = value
	}
	return onto
}

// update stores the result of next, which must not modify the current object.
func update[T rest.Object](s *Server, like T, next func(*inputObject, *unstructured.Unstructured) (*unstructured.Unstructured, error)) (updated T, err error) {
	h, err := s.readInput(like)
	if err != nil {
		return updated, err
	}
	stored := h.resource.Table.Get(h.Key)
	if stored == nil {
		return updated, fmt.Errorf("%s: not found", h)
	}
	current, err := objects.Decode(stored.Raw)
	if err != nil {
		return updated, fmt.Errorf("%s: %w", h, err)
	}
	obj, err := next(h, current)
	if err != nil {
		return updated, err
	}
	rec, err := s.replaceWith(h, stored, current, obj)
	if err != nil {
		return updated, err
	}
	return decodeRecord[T](h.resource, rec)
}

// replaceWith stores obj in place of stored.
func (s *Server) replaceWith(h *inputObject, stored *storage.Record, current, obj *unstructured.Unstructured) (*storage.Record, error) {
	h.resource.Conform(obj.Object, nil)
	metadata, before := objects.Metadata(obj.Object), objects.Metadata(current.Object)
	for _, name := range []string{"name", "namespace", "uid", "creationTimestamp"} {
		objects.Copy(metadata, before, name)
	}
	if metadata["generation"] == nil {
		objects.Copy(metadata, before, "generation")
	}
	generation, _ := before["generation"].(int64)
	if h.resource.TracksGeneration() && metadata["generation"] == before["generation"] && h.resource.Changed(obj.Object, current.Object) {
		metadata["generation"] = generation + 1
	}
	if h.resource.Strategy.Complete != nil {
		h.resource.Strategy.Complete(obj.Object)
	}
	if err := prepareDefined(h, obj, current); err != nil {
		return nil, err
	}
	obj.SetAPIVersion(h.resource.Storage.String())
	obj.SetKind(h.resource.Kind)
	text, err := objects.Encode(obj)
	if err != nil {
		return nil, err
	}
	if stored.IsState(text) {
		return stored, nil
	}
	rec, err := h.resource.Table.Commit(stored.Key, stored, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h, err)
	}
	s.reconcileDefinitionsAfter(h.resource, false)
	return rec, nil
}
