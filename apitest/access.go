package apitest

import (
	"errors"
	"fmt"

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
	for _, rec := range h.resource.table.all(like.GetNamespace()) {
		obj, err := handOut[T](h.resource, rec)
		if err != nil {
			return nil, err
		}
		found = append(found, obj)
	}
	return found, nil
}

// Delete removes the object with the kind, namespace and name of like at once,
// whatever finalizers it has, and returns it as it was. What a user does, which
// waits for finalizers, is a client's delete.
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
