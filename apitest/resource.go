package apitest

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/thinformer/thinformer/internal/column"
	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/rest"
)

// Resource is a kind of object that a server serves, and where.
type Resource struct {
	rest.ResourceInfo
	// ListKind of lists; "" is the kind and "List".
	ListKind string
	// Singular name; "" is the kind in small letters.
	Singular string
	// ShortNames and Categories are what kubectl knows it by.
	ShortNames, Categories []string
	// Status serves the subresource status: creates and updates leave the
	// status alone, and updates of the status leave all else alone.
	Status bool
	// Scale serves the subresource scale; nil does not.
	Scale *Scale
	// Generation is kept in the metadata, and counts the changes to what is
	// neither metadata nor, with Status, status.
	Generation bool
	// SelectableFields are the paths, such as spec.nodeName, that field
	// selectors may name besides metadata.name and metadata.namespace.
	SelectableFields []string
}

// Scale says where in an object the numbers of its scale are, as paths such as
// .spec.replicas.
type Scale struct {
	SpecReplicas, StatusReplicas string
	// LabelSelector is where the selector is, as text; "" is nowhere.
	LabelSelector string
}

// resource is one version of a served kind. It does not change once it is in
// the registry.
type resource struct {
	Resource
	// table holds the objects; versions of one custom resource share it.
	table *table
	// shape is what the schema of a custom resource says; nil elsewhere.
	shape *kinds.Type
	// stored is the shape of the version in which objects are stored.
	stored *kinds.Type
	// versions are how the field manager sees objects, by apiVersion; nil
	// elsewhere.
	versions converters
	// managers enter who wrote what. They are made when they are first needed,
	// as the table of built-in kinds is read then.
	managers func() *fieldManagers
	// builtin is the line of the table of built-in kinds; nil for others.
	builtin *kinds.Resource
	// custom resources are described by a CustomResourceDefinition.
	custom bool
	// terminating is when that description is being deleted: nothing can be
	// created any more.
	terminating bool
	// over is closed when another resource takes the place of this one, or
	// none: its watches end. nil is never.
	over <-chan struct{}
	// columns of tables, besides the name.
	columns []column.Column
	// warnings go out with every answer.
	warnings []string
	// storage is the version in which objects are stored.
	storage schema.GroupVersion
	// strategy is how the kind is written.
	strategy strategy
}

// validate says why no path leads to a resource, or no object can be of it.
func (r *Resource) validate() error {
	gvr := r.GroupVersionResource
	if gvr.Resource == "" || gvr.Version == "" || r.Kind == "" {
		return errors.New("a resource needs a version, a plural name and a kind")
	}
	var wrong []string
	for _, part := range []struct {
		what, text string
		complaints []string
	}{
		{"group", gvr.Group, validation.IsDNS1123Subdomain(gvr.Group)},
		{"version", gvr.Version, validation.IsDNS1035Label(gvr.Version)},
		{"plural name", gvr.Resource, validation.IsDNS1035Label(gvr.Resource)},
		{"kind", r.Kind, validation.IsDNS1035Label(strings.ToLower(r.Kind))},
		{"kind of lists", r.ListKind, validation.IsDNS1035Label(strings.ToLower(r.ListKind))},
	} {
		if part.text != "" && len(part.complaints) > 0 {
			wrong = append(wrong, fmt.Sprintf("the %s %q cannot be one: %s", part.what, part.text, part.complaints[0]))
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

func (r *resource) complete() {
	if r.ListKind == "" {
		r.ListKind = r.Kind + "List"
	}
	if r.Singular == "" {
		r.Singular = strings.ToLower(r.Kind)
	}
	if r.storage.Empty() {
		r.storage = r.GroupVersion()
	}
	if !r.custom {
		r.builtin = kinds.Find(r.GroupVersion().WithKind(r.Kind))
	}
	r.strategy = strategyOf(r)
	r.managers = sync.OnceValue(r.newManagers)
}

// fields are what is known of those that objects have, nil if nothing is.
func (r *resource) fields() *kinds.Type {
	if r.builtin != nil {
		return kinds.TypeOf(r.GroupVersion().WithKind(r.Kind))
	}
	return r.shape
}

// registry is what is served. Readers load one map and never wait.
type registry struct {
	served atomic.Pointer[map[schema.GroupVersionResource]*resource]

	mu sync.Mutex // of those who change it
}

func newRegistry() *registry {
	r := new(registry)
	r.served.Store(&map[schema.GroupVersionResource]*resource{})
	return r
}

// all that is served, by where. It is not to be changed.
func (r *registry) all() map[schema.GroupVersionResource]*resource { return *r.served.Load() }

// find is the resource at gvr, nil if it is not served.
func (r *registry) find(gvr schema.GroupVersionResource) *resource { return r.all()[gvr] }

// serves is whether any version of a resource is served.
func (r *registry) serves(of schema.GroupResource) bool {
	for at := range r.all() {
		if at.GroupResource() == of {
			return true
		}
	}
	return false
}

// change replaces what is served by what f makes of a copy.
func (r *registry) change(f func(map[schema.GroupVersionResource]*resource)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := maps.Clone(r.all())
	f(next)
	r.served.Store(&next)
}

// Register serves another kind from now on, or serves one of the same group,
// version and name in another way. Objects that are stored stay.
func (s *Server) Register(of Resource) error {
	if err := of.validate(); err != nil {
		return fmt.Errorf("apitest: register %q: %w", of.GroupVersionResource.String(), err)
	}
	res := &resource{Resource: of, table: s.store.table(of.GroupResource())}
	res.complete()
	s.registry.change(func(served map[schema.GroupVersionResource]*resource) {
		served[of.GroupVersionResource] = res
	})
	return nil
}
