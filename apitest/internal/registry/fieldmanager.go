package registry

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

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/internal/kinds"
)

// Aborter aborts a request whose client has disconnected, by a panic.
type Aborter interface {
	// AbortIfDone is called between steps that take time.
	AbortIfDone()
	// Tick is called once for each value of an object.
	Tick()
}

// NotAborted is the aborter of changes by the server itself.
type NotAborted struct{}

// AbortIfDone does nothing.
func (NotAborted) AbortIfDone() {}

// Tick does nothing.
func (NotAborted) Tick() {}

// fieldManagers maintain the managedFields of objects, and merge applied
// configurations. They belong to one version of a resource, and are created on
// first use.
type fieldManagers struct {
	kind schema.GroupVersionKind
	// versions holds a converter per apiVersion.
	versions Converters
	// kept returns the paths that a write to a subresource, "" for none, does not
	// change and whose fields its writer does not own; with only, the paths that
	// it exclusively writes.
	kept func(subresource string) (paths []string, only bool)
	// complete sets the defaults after a merge; nil does nothing.
	complete func(map[string]any, func())

	filters sync.Map // by subresource
}

// newManagers returns the field managers of a resource.
func (r *Resource) newManagers() *fieldManagers {
	m := &fieldManagers{kind: r.GroupVersion().WithKind(r.Kind), versions: r.Versions, kept: r.kept}
	if m.versions == nil {
		known := kinds.ConverterOf(m.kind)
		if known == nil {
			known = kinds.NewConverter(nil)
		}
		m.versions = Converters{m.kind.GroupVersion().String(): known}
	}
	if r.Shape != nil {
		m.complete = r.Shape.Default
	}
	return m
}

// kept returns the paths that a write to a subresource does not change or, with
// only, those that it exclusively writes.
func (r *Resource) kept(subresource string) (paths []string, only bool) {
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

// manager returns the field manager for writes to a subresource, "" for the
// resource itself. It is created per request, and aborts with that request.
func (m *fieldManagers) manager(aborter Aborter, subresource string) (*managedfields.FieldManager, error) {
	filter, made := m.filters.Load(subresource)
	if !made {
		filter, _ = m.filters.LoadOrStore(subresource, m.filter(subresource))
	}
	gv := m.kind.GroupVersion()
	filters := map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(gv.String()): filter.(fieldpath.Filter)}
	var complete defaulter
	if m.complete != nil {
		complete = func(content map[string]any) { m.complete(content, aborter.Tick) }
	}
	manager, err := managedfields.NewDefaultCRDFieldManager(abortingConverter{m.versions, aborter}, versionConverter{}, complete, versionConverter{}, m.kind, gv, subresource, filters)
	if err != nil {
		return nil, fmt.Errorf("manage the fields of %s: %w", m.kind, err)
	}
	return manager, nil
}

// filter returns the fields that a write can own.
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

// Track records in next that manager has changed live, nil for a new object.
func (m *fieldManagers) Track(aborter Aborter, subresource, manager string, next, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live == nil {
		if live = kinds.Empty(m.kind); subresource == "" && m.trackNew(manager, next, live) {
			return next, nil
		}
	} else if unchanged(next, live) {
		return next, nil
	}
	managers, err := m.manager(aborter, subresource)
	if err != nil {
		return nil, err
	}
	tracked := managers.UpdateNoErrors(live, next, manager).(*unstructured.Unstructured)
	if len(tracked.GetManagedFields()) == 0 {
		tracked.SetManagedFields(nil)
	}
	return tracked, nil
}

// trackNew is track for most new objects, ten times as fast.
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
		"time": objects.Now(), "fieldsType": "FieldsV1", "fieldsV1": fields,
	}}
	return true
}

// unchanged reports whether a write changes nothing. It is then not recorded,
// and next gets live's managedFields if it has none.
func unchanged(next, live *unstructured.Unstructured) bool {
	metadata, old := objects.Metadata(next.Object), objects.Metadata(live.Object)
	fields, given := metadata["managedFields"]
	before, had := old["managedFields"]
	if given && !reflect.DeepEqual(fields, before) || !objects.EqualExcept("metadata", next.Object, live.Object) || !objects.EqualExcept("managedFields", metadata, old) {
		return false
	}
	if had && !given {
		metadata["managedFields"] = runtime.DeepCopyJSONValue(before)
	}
	return true
}

// Apply merges an applied configuration into live, nil for an object that does
// not exist.
func (m *fieldManagers) Apply(aborter Aborter, subresource, manager string, force bool, applied, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live == nil {
		live = kinds.Empty(m.kind)
	}
	managers, err := m.manager(aborter, subresource)
	if err != nil {
		return nil, err
	}
	merged, err := managers.Apply(live, applied, manager, force)
	if err != nil {
		return nil, err
	}
	return merged.(*unstructured.Unstructured), nil
}

// abortingConverter converts objects for one request, and aborts between the
// steps of a merge.
type abortingConverter struct {
	Converters
	request Aborter
}

// ObjectToTyped implements managedfields.TypeConverter.
func (c abortingConverter) ObjectToTyped(obj runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	c.request.AbortIfDone()
	value, err := c.Converters.ObjectToTyped(obj, options...)
	c.request.AbortIfDone()
	return value, err
}

// TypedToObject implements managedfields.TypeConverter.
func (c abortingConverter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	c.request.AbortIfDone()
	return c.Converters.TypedToObject(value)
}

// Converters holds the converters of a kind's versions, by apiVersion.
type Converters map[string]*kinds.Converter

var _ managedfields.TypeConverter = Converters{}

// ObjectToTyped implements managedfields.TypeConverter. For a version that does
// not exist, it returns an error on which the field manager drops the entries
// of that version.
func (c Converters) ObjectToTyped(obj runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	kind := obj.GetObjectKind().GroupVersionKind()
	known := c[kind.GroupVersion().String()]
	if known == nil {
		return nil, runtime.NewNotRegisteredErrForKind("apitest", kind)
	}
	return known.ObjectToTyped(obj, options...)
}

// TypedToObject implements managedfields.TypeConverter.
func (c Converters) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	for _, any := range c {
		return any.TypedToObject(value)
	}
	return nil, fmt.Errorf("convert a typed value to an object: there are no versions")
}

// versionConverter converts objects between the versions of a custom resource,
// which differ in their apiVersion only, and creates new ones.
type versionConverter struct{}

var (
	_ runtime.ObjectConvertor = versionConverter{}
	_ runtime.ObjectCreater   = versionConverter{}
)

func (versionConverter) Convert(in, out, context any) error {
	return fmt.Errorf("convert a %T to a %T: not supported", in, out)
}

func (versionConverter) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	obj, ok := in.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("convert a %T: not an *unstructured.Unstructured", in)
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

func (versionConverter) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (versionConverter) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return kinds.Empty(kind), nil
}

// defaulter is a function that the field manager calls after a merge; nil does
// nothing.
type defaulter func(map[string]any)

func (d defaulter) Default(in runtime.Object) {
	if obj, ok := in.(*unstructured.Unstructured); ok && d != nil {
		d(obj.Object)
	}
}
