package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/rest"
)

// Update stores an object in the place of the one that is there, all of it: what
// T has no field for is lost, for which there is [Modify]. An object that has a
// resourceVersion has to be of the present one. What does not change anything
// gives no new version.
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
		updated, err = update(s, obj, func(h *handed, current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			if now := current.GetResourceVersion(); h.version != "" && h.version != now {
				return nil, fmt.Errorf("%s: it has changed: this is version %s, the present one is %s", h, h.version, now)
			}
			return h.object()
		})
		if !errors.Is(err, errMoved) {
			return updated, err
		}
	}
}

// Modify changes the object with the kind, namespace and name of like, whatever
// its version, by a function: only what it changes, so that T need not have all
// fields. The function may be called again if another write comes between.
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
		was, err := read(s, like)
		if err != nil {
			return modified, err
		}
		before, err := tree(was)
		if err != nil {
			return modified, err
		}
		version := was.GetResourceVersion()
		change(was)
		after, err := tree(was)
		if err != nil {
			return modified, err
		}
		modified, err = update(s, like, func(_ *handed, current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			if current.GetResourceVersion() != version {
				return nil, errMoved
			}
			return &unstructured.Unstructured{Object: overlaid(current.Object, before, after)}, nil
		})
		if !errors.Is(err, errMoved) {
			return modified, err
		}
	}
}

// tree is the JSON of an object, decoded.
func tree(obj any) (map[string]any, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", obj, err)
	}
	read, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", obj, err)
	}
	return read.Object, nil
}

// overlaid is a tree with what differs between two others.
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
		was, _ := before[name].(map[string]any)
		inner, isMap := value.(map[string]any)
		if stored, ok := onto[name].(map[string]any); ok && isMap {
			value = overlaid(stored, was, inner)
		}
		onto[name] = value
	}
	return onto
}

// update stores what next makes of the present object, which it may not change.
func update[T rest.Object](s *Server, like T, next func(*handed, *unstructured.Unstructured) (*unstructured.Unstructured, error)) (updated T, err error) {
	h, err := s.handIn(like)
	if err != nil {
		return updated, err
	}
	was := h.resource.table.get(h.key)
	if was == nil {
		return updated, fmt.Errorf("%s: there is none", h)
	}
	current, err := decode(was.raw)
	if err != nil {
		return updated, fmt.Errorf("%s: %w", h, err)
	}
	obj, err := next(h, current)
	if err != nil {
		return updated, err
	}
	rec, err := s.replaceWith(h, was, current, obj)
	if err != nil {
		return updated, err
	}
	return handOut[T](h.resource, rec)
}

// replaceWith stores obj after was.
func (s *Server) replaceWith(h *handed, was *record, current, obj *unstructured.Unstructured) (*record, error) {
	metadata, before := metadataOf(obj.Object), metadataOf(current.Object)
	for _, name := range []string{"name", "namespace", "uid", "creationTimestamp"} {
		keep(metadata, before, name)
	}
	if metadata["generation"] == nil {
		keep(metadata, before, "generation")
	}
	generation, _ := before["generation"].(int64)
	if h.resource.counts() && metadata["generation"] == before["generation"] && h.resource.changed(obj.Object, current.Object) {
		metadata["generation"] = generation + 1
	}
	if h.resource.strategy.complete != nil {
		h.resource.strategy.complete(obj.Object)
	}
	if err := prepareDefined(h, obj, current); err != nil {
		return nil, err
	}
	obj.SetAPIVersion(h.resource.storage.String())
	obj.SetKind(h.resource.Kind)
	text, err := encode(obj)
	if err != nil {
		return nil, err
	}
	if text.is(was) {
		return was, nil
	}
	rec, err := h.resource.table.commit(was.key, was, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h, err)
	}
	s.settleAfter(h.resource, false)
	return rec, nil
}
