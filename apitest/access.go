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

// TB is the part of testing.TB that Go access reports to: a failure is one line,
// by Fatalf. A nil TB, for programs and examples, panics instead.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check reports what went wrong.
func check(t TB, doing string, err error) {
	if err == nil {
		return
	}
	if t == nil {
		panic(fmt.Sprintf("apitest: %s: %v", doing, err))
	}
	t.Helper()
	t.Fatalf("apitest: %s: %v", doing, err)
}

// Create stores an object and returns it as it is stored.
//
// The functions of Go access go past HTTP, to what is stored: there is no
// admission and nobody who asks, no managedFields, and the status is stored as
// it is given. T is a pointer to any struct with a metav1.ObjectMeta or a
// rest.SlimMeta under the name metadata, or *unstructured.Unstructured. Its
// resource is that of its apiVersion and kind, or where it has none, that of the
// kind that is called as its Go type. An object without a namespace, of a kind
// that has them, is in "default". A namespace that is not there is created.
//
// Create gives a uid, a creation time and a generation where there is none, and
// a name where there is a generateName.
func Create[T rest.Object](t TB, s *Server, obj T) T {
	if t != nil {
		t.Helper()
	}
	created, err := create(s, obj)
	check(t, "create", err)
	return created
}

func create[T rest.Object](s *Server, obj T) (created T, err error) {
	h, err := s.handIn(obj)
	if err != nil {
		return created, err
	}
	rec, err := s.put(h)
	if err != nil {
		return created, err
	}
	return handOut[T](h.resource, rec)
}

// Seed creates n objects, for tests that need many: 50,000 take less than a
// second.
func Seed[T rest.Object](t TB, s *Server, n int, object func(i int) T) {
	if t != nil {
		t.Helper()
	}
	for i := range n {
		h, err := s.handIn(object(i))
		if err == nil {
			_, err = s.put(h)
		}
		if err != nil {
			check(t, fmt.Sprintf("seed %d objects, number %d", n, i), err)
			return
		}
	}
}

// put stores a new object.
func (s *Server) put(h *handed) (*record, error) {
	if err := s.needNamespace(h.namespace); err != nil {
		return nil, err
	}
	h.identify(s)
	text, err := s.firstState(h)
	if err != nil {
		return nil, err
	}
	rec, err := h.resource.table.commit(h.key, nil, text)
	if errors.Is(err, errMoved) {
		return nil, fmt.Errorf("%s: it exists", h)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h, err)
	}
	s.settleAfter(h.resource, false)
	return rec, nil
}

// identify gives a new object what it lacks to be one.
func (h *handed) identify(s *Server) {
	if prefix := memberText(h.metadata, "generateName"); h.name == "" && prefix != "" {
		h.name = s.identities.name(prefix)
		h.set("name", h.name)
	}
	if h.namespace != "" {
		h.set("namespace", h.namespace)
	}
	if valueOf(h.metadata, "uid") == nil {
		h.set("uid", string(s.identities.uid()))
	}
	if valueOf(h.metadata, "creationTimestamp") == nil {
		h.set("creationTimestamp", now())
	}
	if h.resource.counts() && valueOf(h.metadata, "generation") == nil {
		h.setValue("generation", []byte("1"))
	}
}

// firstState is what is stored of a new object.
func (s *Server) firstState(h *handed) (draft, error) {
	if h.name == "" {
		return draft{}, fmt.Errorf("a %s has neither a name nor a generateName", h.resource.Kind)
	}
	completes := h.resource.strategy.complete
	if completes == nil && h.resource.GroupResource() != definitionsResource {
		return h.draft()
	}
	obj, err := h.object()
	if err != nil {
		return draft{}, err
	}
	if completes != nil {
		completes(obj.Object)
	}
	if err := prepareDefined(h, obj, nil); err != nil {
		return draft{}, err
	}
	return encode(obj)
}

// prepareDefined completes a definition of custom resources, and refuses a wrong
// one: nothing could be served by it.
func prepareDefined(h *handed, next, current *unstructured.Unstructured) error {
	if h.resource.GroupResource() != definitionsResource {
		return nil
	}
	faults, err := prepareDefinition(next, current, "")
	if err == nil && len(faults) > 0 {
		err = faults.ToAggregate()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", h, err)
	}
	return nil
}

// needNamespace creates a namespace if it is missing.
func (s *Server) needNamespace(name string) error {
	res := s.registry.find(namespaces.WithVersion("v1"))
	if name == "" || res == nil || res.table.get(key{name: name}) != nil {
		return nil
	}
	if err := s.createNamespace(res, name); err != nil && !errors.Is(err, errMoved) {
		return fmt.Errorf("create the namespace %s: %w", name, err)
	}
	return nil
}

// Get returns the object with the kind, namespace and name of like, as it is
// stored.
func Get[T rest.Object](t TB, s *Server, like T) T {
	if t != nil {
		t.Helper()
	}
	found, err := read(s, like)
	check(t, "get", err)
	return found
}

func read[T rest.Object](s *Server, like T) (found T, err error) {
	h, err := s.handIn(like)
	if err != nil {
		return found, err
	}
	rec := h.resource.table.get(h.key)
	if rec == nil {
		return found, fmt.Errorf("%s: there is none", h)
	}
	return handOut[T](h.resource, rec)
}

// List returns the objects of the kind and namespace of like, of all namespaces
// if it has none, in order of namespace and name.
func List[T rest.Object](t TB, s *Server, like T) []T {
	if t != nil {
		t.Helper()
	}
	found, err := list(s, like)
	check(t, "list", err)
	return found
}

func list[T rest.Object](s *Server, like T) (found []T, err error) {
	h, err := s.handIn(like)
	if err != nil {
		return nil, err
	}
	records, _, _, err := h.resource.table.list(span{namespace: like.GetNamespace()})
	if err != nil {
		return nil, err
	}
	for _, rec := range records {
		obj, err := handOut[T](h.resource, rec)
		if err != nil {
			return nil, err
		}
		found = append(found, obj)
	}
	return found, nil
}

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

// Delete removes the object with the kind, namespace and name of like at once,
// whatever finalizers it has, and returns it as it was.
func Delete[T rest.Object](t TB, s *Server, like T) T {
	if t != nil {
		t.Helper()
	}
	deleted, err := remove(s, like)
	check(t, "delete", err)
	return deleted
}

func remove[T rest.Object](s *Server, like T) (deleted T, err error) {
	h, err := s.handIn(like)
	if err != nil {
		return deleted, err
	}
	for {
		was := h.resource.table.get(h.key)
		if was == nil {
			return deleted, fmt.Errorf("%s: there is none", h)
		}
		gone, err := h.resource.table.remove(was)
		if errors.Is(err, errMoved) {
			continue
		}
		if err != nil {
			return deleted, fmt.Errorf("%s: %w", h, err)
		}
		s.settleAfter(h.resource, true)
		return handOut[T](h.resource, gone)
	}
}
