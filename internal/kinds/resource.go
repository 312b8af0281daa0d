package kinds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource describes a built-in kind and how the real server serves it.
type Resource struct {
	schema.GroupVersion
	Kind string
	// Plural is the resource's name in paths; Singular is another name that
	// kubectl accepts.
	Plural, Singular string
	Namespaced       bool
	// ShortNames and Categories are further names for kubectl.
	ShortNames, Categories []string
	// OneByOne resources lack the verb deletecollection. All resources have the
	// other verbs.
	OneByOne bool

	// Generation is set if the metadata has a generation. It counts changes outside
	// of metadata and status.
	Generation bool
	// Counted is a field of the metadata whose changes increase the generation, too.
	Counted string

	// Subresources that contain a part of the object, sorted by name.
	Subresources []Subresource
	// Scale describes the subresource scale; nil if there is none.
	Scale *Scale

	// CreatedWithStatus kinds keep the status of the create request. For all
	// others that have the subresource status, it is dropped.
	CreatedWithStatus bool
	// Phase is the status.phase of a new object.
	Phase string

	// fields that a field selector may use; nil means metadata.name and
	// metadata.namespace.
	fields []Field
	// unsupportedField is the format of the error for a field that is not
	// selectable, with a verb for its name; "" means the usual error.
	unsupportedField string
}

// ListKind returns the kind of the resource's lists.
func (r *Resource) ListKind() string { return r.Kind + "List" }

// GroupVersionKind returns the kind with its group and version.
func (r *Resource) GroupVersionKind() schema.GroupVersionKind {
	return r.GroupVersion.WithKind(r.Kind)
}

// GroupVersionResource returns the resource with its group and version.
func (r *Resource) GroupVersionResource() schema.GroupVersionResource {
	return r.GroupVersion.WithResource(r.Plural)
}

// Verbs returns the verbs in the order of discovery.
func (r *Resource) Verbs() []string {
	verbs := []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	if r.OneByOne {
		verbs = slices.Delete(verbs, 2, 3)
	}
	return verbs
}

// Subresource returns the subresource of that name, nil if there is none.
func (r *Resource) Subresource(name string) *Subresource {
	for i := range r.Subresources {
		if r.Subresources[i].Name == name {
			return &r.Subresources[i]
		}
	}
	return nil
}

// Resets returns the paths that a write to the resource itself does not change,
// and that its field manager does not own.
func (r *Resource) Resets() []string {
	if r.Subresource("status") == nil {
		return nil
	}
	return []string{"status"}
}

// Field returns the field that a selector means by a name. The error is the real
// server's message for a field that is not selectable.
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
	case r.unsupportedField != "":
		return Field{}, fmt.Errorf(r.unsupportedField, name)
	case r.fields != nil:
		return Field{}, errors.New("field label not supported: " + name)
	}
	return Field{}, fmt.Errorf(`%q is not a known field selector: only "metadata.name", "metadata.namespace"`, name)
}

// Fields returns the names that a field selector may use.
func (r *Resource) Fields() (names []string) {
	for _, field := range r.fields {
		names = append(names, field.Name)
	}
	if names == nil {
		return []string{"metadata.name", "metadata.namespace"}
	}
	return names
}

// Subresource is a part of an object that has its own path.
type Subresource struct {
	Name  string
	Verbs []string
	// GroupVersionKind of the body.
	schema.GroupVersionKind
	// Resets are the paths that a write does not change.
	Resets []string
	// Only are the paths that a write changes; nil means all but Resets.
	Only []string
}

// Scale locates an object's scale.
type Scale struct {
	SpecReplicas, StatusReplicas string
	// Selector is the path of the selector: a LabelSelector, or, if Labels is set, a
	// map of labels.
	Selector string
	Labels   bool
	// Default of SpecReplicas. The real server sets it.
	Default int64
}

// Field is a field that a selector may use.
type Field struct {
	Name string
	// Default is the value if the object does not set the field.
	Default string
	// paths of the field; the first with a value counts.
	paths []string
}

// Value returns the field's value in an object, as selectors compare it.
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

// valueAt returns the value at a path such as spec.nodeName, nil if there is none.
func valueAt(object map[string]any, path string) any {
	var value any = object
	for name := range strings.SplitSeq(path, ".") {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	return value
}
