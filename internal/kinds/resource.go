package kinds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is a built-in kind and how the real server serves it.
type Resource struct {
	schema.GroupVersion
	Kind string
	// Plural is the resource's name in paths; Singular is what kubectl takes
	// for it as well.
	Plural, Singular string
	Namespaced       bool
	// ShortNames and Categories are what kubectl knows it by.
	ShortNames, Categories []string
	// OneByOne resources do not have the verb deletecollection. All have the
	// others.
	OneByOne bool

	// Generation is kept in the metadata: it counts the changes to all that is
	// neither metadata nor status.
	Generation bool
	// Counted is the one field of the metadata whose changes count as well.
	Counted string

	// Subresources that hold a part of the object, sorted by name.
	Subresources []Subresource
	// Scale says what the subresource scale shows; nil where there is none.
	Scale *Scale

	// CreatedWithStatus kinds take the status that they are created with. For
	// all others it is left out, if they have the subresource status.
	CreatedWithStatus bool
	// Phase is the status.phase that a new object gets.
	Phase string

	// fields that a selector may name; none are metadata.name and
	// metadata.namespace.
	fields []Field
	// refusal is how a field that is not selectable is answered, with a verb
	// for its name; "" is the usual way.
	refusal string
}

// ListKind is the kind of lists of the resource.
func (r *Resource) ListKind() string { return r.Kind + "List" }

// GroupVersionKind is the kind with its group and version.
func (r *Resource) GroupVersionKind() schema.GroupVersionKind {
	return r.GroupVersion.WithKind(r.Kind)
}

// GroupVersionResource is where the resource is served.
func (r *Resource) GroupVersionResource() schema.GroupVersionResource {
	return r.GroupVersion.WithResource(r.Plural)
}

// Verbs in the order of discovery.
func (r *Resource) Verbs() []string {
	verbs := []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	if r.OneByOne {
		verbs = slices.Delete(verbs, 2, 3)
	}
	return verbs
}

// Subresource is the one of that name, nil if there is none.
func (r *Resource) Subresource(name string) *Subresource {
	for i := range r.Subresources {
		if r.Subresources[i].Name == name {
			return &r.Subresources[i]
		}
	}
	return nil
}

// Resets are the paths that a write to the resource itself leaves as they
// were, and that its writer does not come to manage.
func (r *Resource) Resets() []string {
	if r.Subresource("status") == nil {
		return nil
	}
	return []string{"status"}
}

// Field is what a selector means by a name. The error is the real server's
// message for what cannot be selected by.
func (r *Resource) Field(name string) (Field, error) {
	fields := r.fields
	if fields == nil {
		fields = namespacedFields
	}
	for _, field := range fields {
		if field.Name == name {
			return field, nil
		}
	}
	switch {
	case r.refusal != "":
		return Field{}, fmt.Errorf(r.refusal, name)
	case r.fields != nil:
		return Field{}, errors.New("field label not supported: " + name)
	}
	return Field{}, fmt.Errorf(`%q is not a known field selector: only "metadata.name", "metadata.namespace"`, name)
}

// Fields are the names that a selector may use.
func (r *Resource) Fields() (names []string) {
	for _, field := range r.fields {
		names = append(names, field.Name)
	}
	if names == nil {
		return []string{"metadata.name", "metadata.namespace"}
	}
	return names
}

// Subresource is a part of an object with a path of its own.
type Subresource struct {
	Name  string
	Verbs []string
	// GroupVersionKind of what is read and written.
	schema.GroupVersionKind
	// Resets are the paths that a write leaves as they were.
	Resets []string
	// Only are the paths that a write changes; none are all but Resets.
	Only []string
}

// Scale says where in an object its scale is.
type Scale struct {
	SpecReplicas, StatusReplicas string
	// Selector is the path of the selector, a LabelSelector or, with Labels, a
	// map of labels.
	Selector string
	Labels   bool
	// Default of SpecReplicas: the real server fills it in.
	Default int64
}

// Field is what a selector may name.
type Field struct {
	Name string
	// Default is the value where the object says nothing.
	Default string
	// paths to look at; the first that is there counts.
	paths []string
}

// Value of the field in an object, as selectors compare it.
func (f Field) Value(object map[string]any) string {
	for _, path := range f.paths {
		switch value := valueAt(object, path).(type) {
		case string:
			if value != "" {
				return value
			}
		case bool, int64, float64:
			return fmt.Sprint(value)
		}
	}
	return f.Default
}

// valueAt is the value at a path such as spec.nodeName, nil if there is none.
func valueAt(object map[string]any, path string) any {
	var value any = object
	for name := range strings.SplitSeq(path, ".") {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	return value
}
