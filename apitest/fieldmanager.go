package apitest

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/thinformer/thinformer/internal/kinds"
)

// fieldManagers enter who has written what into an object's managedFields, and
// merge what is applied. They are those of one version of a resource, made when
// they are first needed.
type fieldManagers struct {
	kind schema.GroupVersionKind
	// versions have a converter each, by apiVersion.
	versions converters
	// kept are the paths that a write to a subresource, "" for none, leaves
	// alone, and that its writer does not come to manage; or, with only, the
	// ones that it writes.
	kept func(subresource string) (paths []string, only bool)
	// complete fills in what was left out, after a merge; nil does nothing.
	complete func(map[string]any)

	made sync.Map // by subresource
}

// newManagers are the field managers of a resource.
func (r *resource) newManagers() *fieldManagers {
	m := &fieldManagers{kind: r.GroupVersion().WithKind(r.Kind), versions: r.versions, kept: r.kept}
	if m.versions == nil {
		known := kinds.ConverterOf(m.kind)
		if known == nil {
			known = kinds.NewConverter(nil)
		}
		m.versions = converters{m.kind.GroupVersion().String(): known}
	}
	if r.shape != nil {
		m.complete = r.shape.Default
	}
	return m
}

// kept are the paths that a write to a subresource leaves alone, or those that
// alone it writes.
func (r *resource) kept(subresource string) (paths []string, only bool) {
	if sub := r.subresource(subresource); sub != nil {
		if sub.Only != nil {
			return sub.Only, true
		}
		return sub.Resets, false
	}
	if subresource == "status" {
		return []string{"metadata", "spec"}, false
	}
	return r.resets(), false
}

// track enters into next's managedFields what it changes in live, nil for a new
// object, under the manager of the write. Who writes the scale of a custom
// resource is not entered.
func (c *call) track(o writeOptions, live, next *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if c.subresource == "scale" && c.resource.custom {
		return next, nil
	}
	return c.resource.managers().track(c.subresource, o.manager, next, live)
}

// of the writes to a subresource, "" for those to the resource itself.
func (m *fieldManagers) of(subresource string) (*managedfields.FieldManager, error) {
	if made, ok := m.made.Load(subresource); ok {
		return made.(*managedfields.FieldManager), nil
	}
	gv := m.kind.GroupVersion()
	filters := map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(gv.String()): m.filter(subresource)}
	manager, err := managedfields.NewDefaultCRDFieldManager(m.versions, renaming{}, defaulter(m.complete), renaming{}, m.kind, gv, subresource, filters)
	if err != nil {
		return nil, fmt.Errorf("manage the fields of %s: %w", m.kind, err)
	}
	made, _ := m.made.LoadOrStore(subresource, manager)
	return made.(*managedfields.FieldManager), nil
}

// filter leaves what a write can come to manage.
func (m *fieldManagers) filter(subresource string) fieldpath.Filter {
	paths, only := m.kept(subresource)
	kept, written := fieldpath.NewSet(), []*fieldpath.SetMatcher{}
	for _, path := range paths {
		var elements fieldpath.Path
		var names []any
		for name := range strings.SplitSeq(path, ".") {
			elements = append(elements, fieldpath.PathElement{FieldName: &name})
			names = append(names, name)
		}
		kept.Insert(elements)
		if only {
			written = append(written, fieldpath.MakePrefixMatcherOrDie(names...))
		}
	}
	if only {
		return fieldpath.NewIncludeMatcherFilter(written...)
	}
	return fieldpath.NewExcludeSetFilter(kept)
}

// track enters into next that manager has made it of live, nil for a new
// object.
func (m *fieldManagers) track(subresource, manager string, next, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live == nil {
		if live = kinds.Empty(m.kind); subresource == "" && m.trackNew(manager, next, live) {
			return next, nil
		}
	} else if unchanged(next, live) {
		return next, nil
	}
	managers, err := m.of(subresource)
	if err != nil {
		return nil, err
	}
	tracked := managers.UpdateNoErrors(live, next, manager).(*unstructured.Unstructured)
	if len(tracked.GetManagedFields()) == 0 {
		tracked.SetManagedFields(nil)
	}
	return tracked, nil
}

// trackNew is track for most new objects, at a tenth of the price.
func (m *fieldManagers) trackNew(manager string, next, empty *unstructured.Unstructured) bool {
	metadata, ok := next.Object["metadata"].(map[string]any)
	if _, given := metadata["managedFields"]; given || !ok {
		return false
	}
	kept, only := m.kept("")
	fields, simple := m.versions[m.kind.GroupVersion().String()].Created(next.Object, empty.Object, kept)
	if !simple || only {
		return false
	}
	if len(fields) == 0 {
		return true
	}
	if manager == "" {
		manager = "unknown"
	}
	metadata["managedFields"] = []any{map[string]any{
		"manager": manager, "operation": string(metav1.ManagedFieldsOperationUpdate), "apiVersion": m.kind.GroupVersion().String(),
		"time": now(), "fieldsType": "FieldsV1", "fieldsV1": fields,
	}}
	return true
}

// unchanged is whether nothing was written: then nobody is entered. What next
// leaves out about its managers is filled in.
func unchanged(next, live *unstructured.Unstructured) bool {
	metadata, was := metadataOf(next.Object), metadataOf(live.Object)
	fields, given := metadata["managedFields"]
	before, had := was["managedFields"]
	if given && !reflect.DeepEqual(fields, before) || !equalBut("metadata", next.Object, live.Object) || !equalBut("managedFields", metadata, was) {
		return false
	}
	if had && !given {
		metadata["managedFields"] = runtime.DeepCopyJSONValue(before)
	}
	return true
}

// apply merges what a manager applies into live, nil for an object that is to
// be made.
func (m *fieldManagers) apply(subresource, manager string, force bool, applied, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live == nil {
		live = kinds.Empty(m.kind)
	}
	managers, err := m.of(subresource)
	if err != nil {
		return nil, err
	}
	merged, err := managers.Apply(live, applied, manager, force)
	if err != nil {
		return nil, err
	}
	return merged.(*unstructured.Unstructured), nil
}

// converters of a kind's versions, by apiVersion.
type converters map[string]*kinds.Converter

var _ managedfields.TypeConverter = converters{}

// ObjectToTyped is of managedfields.TypeConverter. A version that there is not,
// or no longer, is told by an error that makes the field manager forget who
// wrote in it.
func (c converters) ObjectToTyped(of runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	kind := of.GetObjectKind().GroupVersionKind()
	known := c[kind.GroupVersion().String()]
	if known == nil {
		return nil, runtime.NewNotRegisteredErrForKind("apitest", kind)
	}
	return known.ObjectToTyped(of, options...)
}

// TypedToObject is of managedfields.TypeConverter.
func (c converters) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	for _, any := range c {
		return any.TypedToObject(value)
	}
	return nil, fmt.Errorf("make an object of a typed value: there is no version")
}

// renaming converts objects between the versions of a custom resource, which
// differ by nothing but their name, and makes new ones.
type renaming struct{}

var (
	_ runtime.ObjectConvertor = renaming{}
	_ runtime.ObjectCreater   = renaming{}
)

func (renaming) Convert(in, out, context any) error {
	return fmt.Errorf("convert a %T into a %T: not supported", in, out)
}

func (renaming) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	obj, ok := in.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("convert a %T: it is not unstructured", in)
	}
	is := obj.GroupVersionKind()
	want, ok := to.KindForGroupVersionKinds([]schema.GroupVersionKind{is})
	if !ok {
		return nil, fmt.Errorf("convert %s to %s: there is no such version", is, to.Identifier())
	}
	if want == is {
		return obj, nil
	}
	converted := &unstructured.Unstructured{Object: maps.Clone(obj.Object)}
	converted.SetAPIVersion(want.GroupVersion().String())
	return converted, nil
}

func (renaming) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (renaming) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return kinds.Empty(kind), nil
}

// defaulter is a function that the field manager calls after a merge; nil does
// nothing.
type defaulter func(map[string]any)

func (f defaulter) Default(in runtime.Object) {
	if obj, ok := in.(*unstructured.Unstructured); ok && f != nil {
		f(obj.Object)
	}
}
