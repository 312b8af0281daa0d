package apitest

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/apitest/internal/definition"
	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/rest"
)

// TB is the part of testing.TB that the access functions use: they report a
// failure as one line, with Fatalf. With a nil TB, for programs and
// examples, they panic instead.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check reports an error.
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
// The access functions bypass HTTP: there is no authorization, no admission and
// no managedFields, and the status is stored as given. T is a pointer to any
// struct with a metav1.ObjectMeta or a rest.SlimMeta under the name metadata,
// or *unstructured.Unstructured. Its resource is found by its apiVersion and
// kind or, if it has none, by a kind with the name of its Go type. A namespaced
// object without a namespace is stored in "default". Missing namespaces are
// created.
//
// Create sets a uid, a creation time and a generation if they are missing, and
// a name if there is a generateName. A custom resource is stored according to
// its schema: with the defaults, and without unknown fields, so that a client
// that writes it back unchanged changes nothing.
func Create[T rest.Object](t TB, s *Server, obj T) T {
	if t != nil {
		t.Helper()
	}
	created, err := create(s, obj)
	check(t, "create", err)
	return created
}

func create[T rest.Object](s *Server, obj T) (created T, err error) {
	h, err := s.readInput(obj)
	if err != nil {
		return created, err
	}
	rec, err := s.put(h)
	if err != nil {
		return created, err
	}
	return decodeRecord[T](h.resource, rec)
}

// Seed creates n objects, for tests that need many: 50,000 take less than a
// second.
func Seed[T rest.Object](t TB, s *Server, n int, object func(i int) T) {
	if t != nil {
		t.Helper()
	}
	for i := range n {
		h, err := s.readInput(object(i))
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
func (s *Server) put(h *inputObject) (*storage.Record, error) {
	if err := s.ensureNamespace(h.Namespace); err != nil {
		return nil, err
	}
	h.setIdentity(s)
	text, err := s.initialState(h)
	if err != nil {
		return nil, err
	}
	rec, err := h.resource.Table.Commit(h.Key, nil, text)
	if errors.Is(err, storage.ErrConflict) {
		return nil, fmt.Errorf("%s: already exists", h)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h, err)
	}
	s.reconcileDefinitionsAfter(h.resource, false)
	return rec, nil
}

// setIdentity sets the missing metadata of a new object.
func (o *inputObject) setIdentity(s *Server) {
	if prefix := objects.MemberString(o.metadata, "generateName"); o.Name == "" && prefix != "" {
		o.Name = s.identities.Name(prefix)
		o.set("name", o.Name)
	}
	if o.Namespace != "" {
		o.set("namespace", o.Namespace)
	}
	if objects.MemberValue(o.metadata, "uid") == nil {
		o.set("uid", string(s.identities.UID()))
	}
	if objects.MemberValue(o.metadata, "creationTimestamp") == nil {
		o.set("creationTimestamp", objects.Now())
	}
	if o.resource.TracksGeneration() && objects.MemberValue(o.metadata, "generation") == nil {
		o.setValue("generation", []byte("1"))
	}
}

// initialState returns the text to store for a new object.
func (s *Server) initialState(h *inputObject) (objects.Draft, error) {
	if h.Name == "" {
		return objects.Draft{}, fmt.Errorf("the %s has no name: set name or generateName", h.resource.Kind)
	}
	completes := h.resource.Strategy.Complete
	if completes == nil && h.resource.Stored == nil && h.resource.GroupResource() != definition.GroupResource {
		return h.draft()
	}
	obj, err := h.object()
	if err != nil {
		return objects.Draft{}, err
	}
	h.resource.Conform(obj.Object, nil)
	if completes != nil {
		completes(obj.Object)
	}
	if err := prepareDefined(h, obj, nil); err != nil {
		return objects.Draft{}, err
	}
	return objects.Encode(obj)
}

// prepareDefined completes a CustomResourceDefinition. It fails if the
// definition is invalid, since nothing could be served by it.
func prepareDefined(h *inputObject, next, current *unstructured.Unstructured) error {
	if h.resource.GroupResource() != definition.GroupResource {
		return nil
	}
	faults, err := definition.Prepare(next, current, "")
	if err == nil && len(faults) > 0 {
		err = faults.ToAggregate()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", h, err)
	}
	return nil
}

// ensureNamespace creates a namespace if it is missing.
func (s *Server) ensureNamespace(name string) error {
	res := s.registry.Find(registry.Namespaces.WithVersion("v1"))
	if name == "" || res == nil || res.Table.Get(storage.Key{Name: name}) != nil {
		return nil
	}
	if err := s.createNamespace(res, name); err != nil && !errors.Is(err, storage.ErrConflict) {
		return fmt.Errorf("create the namespace %s: %w", name, err)
	}
	return nil
}

// Get returns the stored object with the kind, namespace and name of like.
func Get[T rest.Object](t TB, s *Server, like T) T {
	if t != nil {
		t.Helper()
	}
	found, err := read(s, like)
	check(t, "get", err)
	return found
}

func read[T rest.Object](s *Server, like T) (found T, err error) {
	h, err := s.readInput(like)
	if err != nil {
		return found, err
	}
	rec := h.resource.Table.Get(h.Key)
	if rec == nil {
		return found, fmt.Errorf("%s: not found", h)
	}
	return decodeRecord[T](h.resource, rec)
}

// List returns the objects of the kind and namespace of like, or of all
// namespaces if it has none, in order of namespace and name.
func List[T rest.Object](t TB, s *Server, like T) []T {
	if t != nil {
		t.Helper()
	}
	found, err := list(s, like)
	check(t, "list", err)
	return found
}

func list[T rest.Object](s *Server, like T) (found []T, err error) {
	h, err := s.readInput(like)
	if err != nil {
		return nil, err
	}
	for _, rec := range h.resource.Table.All(like.GetNamespace()) {
		obj, err := decodeRecord[T](h.resource, rec)
		if err != nil {
			return nil, err
		}
		found = append(found, obj)
	}
	return found, nil
}

// Delete removes the object with the kind, namespace and name of like at once,
// regardless of finalizers, and returns its last state. To delete as a user
// does, with finalizers, use a client.
func Delete[T rest.Object](t TB, s *Server, like T) T {
	if t != nil {
		t.Helper()
	}
	deleted, err := remove(s, like)
	check(t, "delete", err)
	return deleted
}

func remove[T rest.Object](s *Server, like T) (deleted T, err error) {
	h, err := s.readInput(like)
	if err != nil {
		return deleted, err
	}
	for {
		current := h.resource.Table.Get(h.Key)
		if current == nil {
			return deleted, fmt.Errorf("%s: not found", h)
		}
		gone, err := h.resource.Table.Remove(current)
		if errors.Is(err, storage.ErrConflict) {
			continue
		}
		if err != nil {
			return deleted, fmt.Errorf("%s: %w", h, err)
		}
		s.reconcileDefinitionsAfter(h.resource, true)
		return decodeRecord[T](h.resource, gone)
	}
}
