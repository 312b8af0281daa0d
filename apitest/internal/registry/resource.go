package registry

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/internal/column"
	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/rest"
)

// Info describes a resource, as the Resource of package apitest does.
type Info struct {
	rest.ResourceInfo
	// ListKind is the kind of lists. Singular is the singular name.
	ListKind, Singular     string
	ShortNames, Categories []string
	// Status serves the subresource status, and Scale the subresource scale, unless
	// nil.
	Status bool
	Scale  *ScalePaths
	// Generation maintains metadata.generation.
	Generation bool
	// SelectableFields are the paths that field selectors may use in addition to
	// metadata.name and metadata.namespace.
	SelectableFields []string
}

// ScalePaths contains the paths of the fields of a scale, such as .spec.replicas.
// LabelSelector is the path of the selector, as text; "" is none.
type ScalePaths struct{ SpecReplicas, StatusReplicas, LabelSelector string }

// Resource is one version of a served kind. It is immutable once it is in the
// registry.
type Resource struct {
	Info
	// Table holds the objects. The versions of one custom resource share it.
	Table *storage.Table
	// Shape is the schema of a custom resource; nil for others.
	Shape *kinds.Type
	// Stored is the schema of the storage version.
	Stored *kinds.Type
	// Versions converts objects for the field manager, by apiVersion; nil for
	// others.
	Versions Converters
	// FieldManagers maintain managedFields. They are created on first use, since that
	// parses the table of built-in kinds.
	FieldManagers func() *fieldManagers
	// Builtin is the entry in the table of built-in kinds; nil for others.
	Builtin *kinds.Resource
	// Custom resources are defined by a CustomResourceDefinition.
	Custom bool
	// Terminating: the definition is being deleted, and nothing can be created.
	Terminating bool
	// Over is closed when the resource is replaced or removed: its watches end.
	// nil is never.
	Over <-chan struct{}
	// Columns of Tables, in addition to the name.
	Columns []column.Column
	// Warnings are sent with every response.
	Warnings []string
	// Storage is the version in which objects are stored.
	Storage schema.GroupVersion
	// Strategy contains the rules for writes of the kind.
	Strategy strategy
}

// Validate returns why a resource cannot be served.
func (r *Info) Validate() error {
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
			wrong = append(wrong, fmt.Sprintf("invalid %s %q: %s", part.what, part.text, part.complaints[0]))
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// Complete sets the defaults of the description, and what follows from it. It is
// called before the resource is registered.
func (r *Resource) Complete() {
	if r.ListKind == "" {
		r.ListKind = r.Kind + "List"
	}
	if r.Singular == "" {
		r.Singular = strings.ToLower(r.Kind)
	}
	if r.Storage.Empty() {
		r.Storage = r.GroupVersion()
	}
	if !r.Custom {
		r.Builtin = kinds.Find(r.GroupVersion().WithKind(r.Kind))
	}
	r.Strategy = strategyOf(r)
	r.FieldManagers = sync.OnceValue(r.newManagers)
}

// Fields returns the known fields of objects, nil if there are none.
func (r *Resource) Fields() *kinds.Type {
	if r.Builtin != nil {
		return kinds.TypeOf(r.GroupVersion().WithKind(r.Kind))
	}
	return r.Shape
}

// Conform converts a custom resource to the form in which it is stored: without
// unknown fields, and with its defaults. tick is as for kinds.Type.Default.
func (r *Resource) Conform(content map[string]any, tick func()) {
	if r.Stored == nil {
		return
	}
	r.Stored.Prune(content)
	r.Stored.Default(content, tick)
	r.Stored.DropNulls(content)
}

// Registry holds the served resources. Readers load one map without waiting.
type Registry struct {
	served atomic.Pointer[map[schema.GroupVersionResource]*Resource]

	mu sync.Mutex // held by writers
}

// New returns an empty registry.
func New() *Registry {
	r := new(Registry)
	r.served.Store(&map[schema.GroupVersionResource]*Resource{})
	return r
}

// All returns the served resources. The caller must not modify the map.
func (r *Registry) All() map[schema.GroupVersionResource]*Resource { return *r.served.Load() }

// Find returns the resource at gvr, nil if it is not served.
func (r *Registry) Find(gvr schema.GroupVersionResource) *Resource { return r.All()[gvr] }

// Serves reports whether any version of a resource is served.
func (r *Registry) Serves(resource schema.GroupResource) bool {
	for at := range r.All() {
		if at.GroupResource() == resource {
			return true
		}
	}
	return false
}

// Change lets f modify a copy of the served resources, and then serves them.
func (r *Registry) Change(f func(map[schema.GroupVersionResource]*Resource)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := maps.Clone(r.All())
	f(next)
	r.served.Store(&next)
}
