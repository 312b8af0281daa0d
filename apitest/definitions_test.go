package apitest

import (
	_ "embed"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/definition"
	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/internal/column"
)

// fooDefinition is a valid definition.
//
//go:embed internal/definition/testdata/foos.json
var fooDefinition string

func parsed(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	obj, err := objects.Decode([]byte(text))
	require.NoError(t, err, text)
	return obj
}

// define stores a definition without HTTP, and reconciles the definitions.
func define(t testing.TB, s *Server, text string) {
	t.Helper()
	next := parsed(t, text)
	table, k := s.store.Table(definition.GroupResource), storage.Key{Name: next.GetName()}
	var current *unstructured.Unstructured
	stored := table.Get(k)
	if stored != nil {
		var err error
		current, err = objects.Decode(stored.Raw)
		require.NoError(t, err)
	}
	faults, err := definition.Prepare(next, current, "")
	require.NoError(t, err)
	require.Empty(t, faults)
	storeAt(t, table, k, stored, next)
	require.NoError(t, s.reconcileDefinitions())
}

func storeAt(t testing.TB, table *storage.Table, k storage.Key, old *storage.Record, obj *unstructured.Unstructured) {
	t.Helper()
	text, err := objects.Encode(obj)
	require.NoError(t, err)
	_, err = table.Commit(k, old, text)
	require.NoError(t, err)
}

func stored(t testing.TB, s *Server, name string) *definition.Definition {
	t.Helper()
	rec := s.store.Table(definition.GroupResource).Get(storage.Key{Name: name})
	if rec == nil {
		return nil
	}
	obj, err := objects.Decode(rec.Raw)
	require.NoError(t, err)
	d, err := definition.Read(obj)
	require.NoError(t, err)
	return d
}

func bareServer(t testing.TB) *Server {
	s := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
	t.Cleanup(s.Close)
	return s
}

func foos(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "example.com", Version: version, Resource: "foos"}
}

// Before the response to the write of a definition, its resource is served, with the
// conditions, names and versions of the real server.
func TestDefinitionIsServed(t *testing.T) {
	s := bareServer(t)
	define(t, s, fooDefinition)

	d := stored(t, s, "foos.example.com")
	require.Equal(t, []string{"v1"}, d.Status.StoredVersions)
	require.Equal(t, definition.Names{Plural: "foos", Singular: "foo", Kind: "Foo", ListKind: "FooList", ShortNames: []string{"f"}, Categories: []string{"all"}}, d.Status.AcceptedNames)
	var conditions []string
	for _, c := range d.Status.Conditions {
		conditions = append(conditions, fmt.Sprint(c.Type, " ", c.Status, " ", c.Reason, ": ", c.Message))
	}
	require.Equal(t, []string{"NamesAccepted True NoConflicts: no conflicts found", "Established True InitialNamesAccepted: the initial names have been accepted"}, conditions)

	v1, alpha := s.registry.Find(foos("v1")), s.registry.Find(foos("v1alpha1"))
	require.NotNil(t, v1)
	require.NotNil(t, alpha)
	require.Nil(t, s.registry.Find(foos("v0")), "a version that is not served")
	require.Same(t, v1.Table, alpha.Table, "all versions have the same objects")
	require.Equal(t, "v1", alpha.Storage.Version)
	require.Equal(t, &registry.ScalePaths{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas", LabelSelector: ".status.selector"}, v1.Scale)
	require.True(t, v1.Status && v1.Namespaced && v1.Generation && !alpha.Status)
	require.Equal(t, []string{"spec.color"}, v1.SelectableFields)
	require.Equal(t, []column.Column{{Name: "Color", Type: "string", JSONPath: ".spec.color"}}, v1.Columns)
	require.Equal(t, []string{"example.com/v1alpha1 Foo is deprecated; use example.com/v1 Foo"}, alpha.Warnings)
	require.Empty(t, v1.Warnings)
	require.Equal(t, "FooList", v1.ListKind)
	pruned := parsed(t, `{"spec":{"color":"red","size":1}}`).Object
	require.Equal(t, []string{"spec.size"}, v1.Shape.Prune(pruned))
}

// The steps of the real server's controllers are visible as separate events.
func TestDefinitionStepsAreEvents(t *testing.T) {
	s := bareServer(t)
	f, err := s.store.Table(definition.GroupResource).Follow(s.store.Current())
	require.NoError(t, err)
	define(t, s, fooDefinition)
	changes, _, err := f.Ready()
	require.NoError(t, err)
	var seen []string
	for _, c := range changes {
		obj, err := objects.Decode(c.New.Raw)
		require.NoError(t, err)
		d, err := definition.Read(obj)
		require.NoError(t, err)
		line := ""
		for _, c := range d.Status.Conditions {
			line += c.Type + "=" + c.Reason + " "
		}
		seen = append(seen, line)
	}
	require.Equal(t, []string{"", "NamesAccepted=NoConflicts Established=Installing ", "NamesAccepted=NoConflicts Established=InitialNamesAccepted "}, seen)
}

// Names belong to the first definition that uses them, until it is deleted.
func TestDefinitionNamesInConflict(t *testing.T) {
	s := bareServer(t)
	define(t, s, fooDefinition)
	second := strings.NewReplacer("foos", "foobs", `"shortNames":["f"]`, `"shortNames":["foos","g"]`).Replace(fooDefinition)
	second = strings.ReplaceAll(second, `["foobs","g"]`, `["foos","g"]`)
	define(t, s, second)

	d := stored(t, s, "foobs.example.com")
	require.Equal(t, definition.Names{Plural: "foobs", Categories: []string{"all"}}, d.Status.AcceptedNames)
	require.Equal(t, "ListKindConflict", d.Condition("NamesAccepted").Reason)
	require.Equal(t, `"FooList" is already in use`, d.Condition("NamesAccepted").Message)
	require.Equal(t, "NotAccepted", d.Condition("Established").Reason)
	require.Nil(t, s.registry.Find(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foobs"}))

	deleteDefinition(t, s, "foos.example.com")
	d = stored(t, s, "foobs.example.com")
	require.True(t, d.Is("Established"), "the names are free now")
	require.NotNil(t, s.registry.Find(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foobs"}))
}

func deleteDefinition(t testing.TB, s *Server, name string) {
	t.Helper()
	table, k := s.store.Table(definition.GroupResource), storage.Key{Name: name}
	stored := table.Get(k)
	obj, err := objects.Decode(stored.Raw)
	require.NoError(t, err)
	first, err := definition.MarkDeleted(obj)
	require.NoError(t, err)
	require.True(t, first)
	storeAt(t, table, k, stored, obj)
	require.NoError(t, s.reconcileDefinitions())
}

// A definition is deleted after its objects. Until then, nothing can be
// created.
func TestDefinitionWaitsForItsObjects(t *testing.T) {
	s := bareServer(t)
	define(t, s, fooDefinition)
	res := s.registry.Find(foos("v1"))
	free, held := storage.Key{Namespace: "a", Name: "free"}, storage.Key{Namespace: "a", Name: "held"}
	storeAt(t, res.Table, free, nil, parsed(t, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"free","namespace":"a","generation":1}}`))
	storeAt(t, res.Table, held, nil, parsed(t, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"held","namespace":"a","generation":1,"finalizers":["x/y"]}}`))

	deleteDefinition(t, s, "foos.example.com")
	require.Nil(t, res.Table.Get(free))
	marked, err := objects.Decode(res.Table.Get(held).Raw)
	require.NoError(t, err)
	require.NotNil(t, marked.GetDeletionTimestamp())
	require.EqualValues(t, 2, marked.GetGeneration())
	require.Equal(t, "InstanceDeletionInProgress", stored(t, s, "foos.example.com").Condition("Terminating").Reason)
	now := s.registry.Find(foos("v1"))
	require.True(t, now.Terminating)
	select {
	case <-now.Over:
		t.Fatal("watches must continue while the definition is being deleted")
	default:
	}

	f, err := res.Table.Follow(s.store.Current())
	require.NoError(t, err)
	_, err = res.Table.Remove(res.Table.Get(held))
	require.NoError(t, err)
	s.reconcileDefinitionsAfter(res, true)
	require.Nil(t, stored(t, s, "foos.example.com"))
	require.Nil(t, s.registry.Find(foos("v1")))
	<-now.Over
	changes, _, err := f.Ready()
	require.NoError(t, err)
	require.Len(t, changes, 1, "watches get the objects deleted with the definition")
	_, _, err = f.Ready()
	require.ErrorIs(t, err, storage.ErrDropped)
	_, err = res.Table.Commit(held, nil, objects.Draft{})
	require.ErrorIs(t, err, storage.ErrDropped, "nothing is created after the deletion of the definition")
}

// After a change of its definition, a resource is served in its new form, and
// watches end. A change of the status has no such effect.
func TestDefinitionIsReplaced(t *testing.T) {
	s := bareServer(t)
	define(t, s, fooDefinition)
	first := s.registry.Find(foos("v1"))
	define(t, s, fooDefinition)
	same := s.registry.Find(foos("v1"))
	require.Equal(t, first.Over, same.Over)

	define(t, s, strings.Replace(fooDefinition, `"name":"v0"`, `"name":"v0","served":true`, 1))
	<-first.Over
	require.NotNil(t, s.registry.Find(foos("v0")))

	define(t, s, strings.NewReplacer(`"storage":true,`, "", `"name":"v0"`, `"name":"v0","served":true,"storage":true`).Replace(fooDefinition))
	require.Equal(t, []string{"v1", "v0"}, stored(t, s, "foos.example.com").Status.StoredVersions)
	require.Equal(t, "v0", s.registry.Find(foos("v1")).Storage.Version)
}

// Clients cannot write the fields that the server maintains in a definition,
// and a rewind to before the definition removes its resource.
func TestDefinitionOverHTTP(t *testing.T) {
	s := NewServer(Options{InMemory: true})
	defer s.Close()
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	before := s.store.Current()
	created := must(t, s, "POST "+path, jsonType, fooDefinition)
	require.Equal(t, map[string]any{"acceptedNames": map[string]any{"kind": "", "plural": ""}, "conditions": nil, "storedVersions": []any{"v1"}}, created["status"])
	fields := string(encoded(t, objects.At(must(t, s, "GET "+path+"/foos.example.com", "", ""), "metadata.managedFields")))
	require.Contains(t, fields, `"f:names":{"f:categories":{},"f:kind":{},"f:listKind":{},"f:plural":{},"f:shortNames":{},"f:singular":{}}`)
	require.Contains(t, fields, `"manager":"kube-apiserver","operation":"Update","subresource":"status"`)
	require.Contains(t, fields, `"k:{\"type\":\"Established\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}`)

	must(t, s, "POST /apis/example.com/v1/namespaces/default/foos", jsonType, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","finalizers":["a/b"]}}`)
	deleted := must(t, s, "DELETE "+path+"/foos.example.com", "", "")
	require.Equal(t, []any{definition.CleanupFinalizer}, objects.At(deleted, "metadata.finalizers"))
	code, refused, _ := send(t, s, "POST /apis/example.com/v1/namespaces/default/foos", jsonType, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"b"}}`)
	require.Equal(t, 403, code)
	require.Equal(t, `foos.example.com "b" is forbidden: create not allowed while custom resource definition is terminating`, refused["message"])
	must(t, s, "PATCH /apis/example.com/v1/namespaces/default/foos/a", mergePatchType, `{"metadata":{"finalizers":null}}`)
	for _, gone := range []string{path + "/foos.example.com", "/apis/example.com/v1/foos"} {
		code, _, _ = send(t, s, "GET "+gone, "", "")
		require.Equal(t, 404, code, gone)
	}

	must(t, s, "POST "+path, jsonType, fooDefinition)
	s.RestartFromBackup(s.store.Current() - before)
	code, _, _ = send(t, s, "GET /apis/example.com/v1/foos", "", "")
	require.Equal(t, 404, code)
}

// A definition does not replace a resource that is registered from Go.
func TestDefinitionKeepsRegisteredResources(t *testing.T) {
	s := bareServer(t)
	own := Resource{}
	own.GroupVersionResource, own.Kind = foos("v1"), "Own"
	require.NoError(t, s.Register(own))
	define(t, s, fooDefinition)
	require.Equal(t, "Own", s.registry.Find(foos("v1")).Kind)
	require.NotNil(t, s.registry.Find(foos("v1alpha1")))
	deleteDefinition(t, s, "foos.example.com")
	require.Equal(t, "Own", s.registry.Find(foos("v1")).Kind)
}

// twoVersions have a separate field each. Objects are stored as v1.
const twoVersions = `{
  apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: bars.example.com},
  spec: {group: example.com, scope: Cluster, names: {plural: bars, kind: Bar}, versions: [
    {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {old: {type: string, default: o}}}}}}},
    {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {new: {type: string, default: n}}}}}}}]}}`

// CustomResourceDefinition versioning, strategy None: versions differ in their
// apiVersion only, and objects are stored according to the schema of the
// storage version.
func TestCustomResourceVersionsShareStorage(t *testing.T) {
	s := NewServer(Options{InMemory: true})
	defer s.Close()
	must(t, s, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/yaml", twoVersions)
	const v1, v2 = "/apis/example.com/v1/bars", "/apis/example.com/v2/bars"
	made := must(t, s, "POST "+v2, jsonType, `{"apiVersion":"example.com/v2","kind":"Bar","metadata":{"name":"a"},"spec":{"new":"x"}}`)
	require.Equal(t, "example.com/v2", made["apiVersion"])
	for _, request := range []string{"GET " + v1 + "/a", "GET " + v2 + "/a"} {
		require.Equal(t, map[string]any{"old": "o"}, must(t, s, request, "", "")["spec"], request)
	}
}

// New finalizers of custom resources without a domain cause a warning; existing
// ones do not.
func TestFinalizersOfCustomResources(t *testing.T) {
	s := NewServer(Options{InMemory: true})
	defer s.Close()
	must(t, s, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/yaml", twoVersions)
	const bars = "/apis/example.com/v1/bars"
	_, _, warned := send(t, s, "POST "+bars, jsonType, `{"apiVersion":"example.com/v1","kind":"Bar","metadata":{"name":"a","finalizers":["b","a.b","a.b/c","orphan"]}}`)
	require.Equal(t, []string{
		`299 - "metadata.finalizers: \"a.b\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"`,
		`299 - "metadata.finalizers: \"b\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"`,
	}, warned)
	_, _, warned = send(t, s, "PATCH "+bars+"/a", mergePatchType, `{"metadata":{"finalizers":["b","a.b/c","c"]}}`)
	require.Equal(t, []string{`299 - "metadata.finalizers: \"c\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"`}, warned)
}

// A write that loses the race against the deletion of its definition gets a
// 404.
func TestWriteAfterDefinitionIsDeleted(t *testing.T) {
	recorder := httptest.NewRecorder()
	response.WriteError(recorder, httptest.NewRequest("POST", "/apis/example.com/v1/bars", nil), fmt.Errorf("create: %w", storage.ErrDropped))
	require.Equal(t, 404, recorder.Code)
	require.Equal(t, "404 page not found\n", recorder.Body.String())
}
