package apitest

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/internal/column"
)

const fooDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com","uid":"1"},"spec":{
	"group":"example.com","scope":"Namespaced","names":{"plural":"foos","kind":"Foo","shortNames":["f"],"categories":["all"]},
	"versions":[
		{"name":"v1","served":true,"storage":true,
			"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}},
			"additionalPrinterColumns":[{"name":"Color","type":"string","jsonPath":".spec.color"}],
			"selectableFields":[{"jsonPath":".spec.color"}],
			"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"color":{"type":"string"}}}}}}},
		{"name":"v1alpha1","served":true,"deprecated":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
		{"name":"v0","schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

func parsed(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	var content map[string]any
	require.NoError(t, utiljson.Unmarshal([]byte(text), &content), text)
	return &unstructured.Unstructured{Object: content}
}

// define stores a definition past HTTP, and settles.
func define(t testing.TB, s *Server, text string) {
	t.Helper()
	next := parsed(t, text)
	table, k := s.store.table(definitionsResource), key{name: next.GetName()}
	var current *unstructured.Unstructured
	was := table.get(k)
	if was != nil {
		var err error
		current, err = decode(was.raw)
		require.NoError(t, err)
	}
	faults, err := prepareDefinition(next, current, "")
	require.NoError(t, err)
	require.Empty(t, faults)
	storeAt(t, table, k, was, next)
	require.NoError(t, s.settle())
}

func storeAt(t testing.TB, in *table, k key, was *record, obj *unstructured.Unstructured) {
	t.Helper()
	text, err := encode(obj)
	require.NoError(t, err)
	_, err = in.commit(k, was, text)
	require.NoError(t, err)
}

func stored(t testing.TB, s *Server, name string) *definition {
	t.Helper()
	rec := s.store.table(definitionsResource).get(key{name: name})
	if rec == nil {
		return nil
	}
	obj, err := decode(rec.raw)
	require.NoError(t, err)
	d, err := readDefinition(obj)
	require.NoError(t, err)
	return d
}

func bareServer(t testing.TB) *Server {
	s := NewServer(Options{InMemory: true, Bare: true})
	t.Cleanup(s.Close)
	return s
}

func foos(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "example.com", Version: version, Resource: "foos"}
}

// A definition is answered for by the time that the write of it is, with the
// conditions, names and versions of the real server.
func TestDefinitionIsServed(t *testing.T) {
	s := bareServer(t)
	define(t, s, fooDefinition)

	d := stored(t, s, "foos.example.com")
	require.Equal(t, []string{"v1"}, d.Status.StoredVersions)
	require.Equal(t, definitionNames{Plural: "foos", Singular: "foo", Kind: "Foo", ListKind: "FooList", ShortNames: []string{"f"}, Categories: []string{"all"}}, d.Status.AcceptedNames)
	var conditions []string
	for _, c := range d.Status.Conditions {
		conditions = append(conditions, fmt.Sprint(c.Type, " ", c.Status, " ", c.Reason, ": ", c.Message))
	}
	require.Equal(t, []string{"NamesAccepted True NoConflicts: no conflicts found", "Established True InitialNamesAccepted: the initial names have been accepted"}, conditions)

	v1, alpha := s.registry.find(foos("v1")), s.registry.find(foos("v1alpha1"))
	require.NotNil(t, v1)
	require.NotNil(t, alpha)
	require.Nil(t, s.registry.find(foos("v0")), "a version that is not served")
	require.Same(t, v1.table, alpha.table, "all versions have the same objects")
	require.Equal(t, "v1", alpha.storage.Version)
	require.Equal(t, &Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas", LabelSelector: ".status.selector"}, v1.Scale)
	require.True(t, v1.Status && v1.Namespaced && v1.Generation && !alpha.Status)
	require.Equal(t, []string{"spec.color"}, v1.SelectableFields)
	require.Equal(t, []column.Column{{Name: "Color", Type: "string", JSONPath: ".spec.color"}}, v1.columns)
	require.Equal(t, []string{"example.com/v1alpha1 Foo is deprecated; use example.com/v1 Foo"}, alpha.warnings)
	require.Empty(t, v1.warnings)
	require.Equal(t, "FooList", v1.ListKind)
	pruned := parsed(t, `{"spec":{"color":"red","size":1}}`).Object
	require.Equal(t, []string{"spec.size"}, v1.shape.Prune(pruned))
}

// The steps of the real server's controllers are seen as events of their own.
func TestDefinitionStepsAreEvents(t *testing.T) {
	s := bareServer(t)
	f, err := s.store.table(definitionsResource).follow(s.store.current())
	require.NoError(t, err)
	define(t, s, fooDefinition)
	changes, _, err := f.ready()
	require.NoError(t, err)
	var seen []string
	for _, c := range changes {
		obj, err := decode(c.now.raw)
		require.NoError(t, err)
		d, err := readDefinition(obj)
		require.NoError(t, err)
		line := ""
		for _, c := range d.Status.Conditions {
			line += c.Type + "=" + c.Reason + " "
		}
		seen = append(seen, line)
	}
	require.Equal(t, []string{"", "NamesAccepted=NoConflicts Established=Installing ", "NamesAccepted=NoConflicts Established=InitialNamesAccepted "}, seen)
}

// Names belong to who had them first, until that definition goes.
func TestDefinitionNamesInConflict(t *testing.T) {
	s := bareServer(t)
	define(t, s, fooDefinition)
	second := strings.NewReplacer("foos", "foobs", `"shortNames":["f"]`, `"shortNames":["foos","g"]`).Replace(fooDefinition)
	second = strings.ReplaceAll(second, `["foobs","g"]`, `["foos","g"]`)
	define(t, s, second)

	d := stored(t, s, "foobs.example.com")
	require.Equal(t, definitionNames{Plural: "foobs", Categories: []string{"all"}}, d.Status.AcceptedNames)
	require.Equal(t, "ListKindConflict", d.condition("NamesAccepted").Reason)
	require.Equal(t, `"FooList" is already in use`, d.condition("NamesAccepted").Message)
	require.Equal(t, "NotAccepted", d.condition("Established").Reason)
	require.Nil(t, s.registry.find(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foobs"}))

	deleteDefinition(t, s, "foos.example.com")
	d = stored(t, s, "foobs.example.com")
	require.True(t, d.is("Established"), "the names are free now")
	require.NotNil(t, s.registry.find(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foobs"}))
}

func deleteDefinition(t testing.TB, s *Server, name string) {
	t.Helper()
	table, k := s.store.table(definitionsResource), key{name: name}
	was := table.get(k)
	obj, err := decode(was.raw)
	require.NoError(t, err)
	first, err := markDefinition(obj)
	require.NoError(t, err)
	require.True(t, first)
	storeAt(t, table, k, was, obj)
	require.NoError(t, s.settle())
}

// A definition goes when its objects have gone; meanwhile nothing is created.
func TestDefinitionWaitsForItsObjects(t *testing.T) {
	s := bareServer(t)
	define(t, s, fooDefinition)
	res := s.registry.find(foos("v1"))
	free, held := key{"a", "free"}, key{"a", "held"}
	storeAt(t, res.table, free, nil, parsed(t, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"free","namespace":"a","generation":1}}`))
	storeAt(t, res.table, held, nil, parsed(t, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"held","namespace":"a","generation":1,"finalizers":["x/y"]}}`))

	deleteDefinition(t, s, "foos.example.com")
	require.Nil(t, res.table.get(free))
	marked, err := decode(res.table.get(held).raw)
	require.NoError(t, err)
	require.NotNil(t, marked.GetDeletionTimestamp())
	require.EqualValues(t, 2, marked.GetGeneration())
	require.Equal(t, "InstanceDeletionInProgress", stored(t, s, "foos.example.com").condition("Terminating").Reason)
	now := s.registry.find(foos("v1"))
	require.True(t, now.terminating)
	select {
	case <-now.over:
		t.Fatal("watches go on while the definition waits")
	default:
	}

	f, err := res.table.follow(s.store.current())
	require.NoError(t, err)
	_, err = res.table.remove(res.table.get(held))
	require.NoError(t, err)
	s.settleAfter(res, true)
	require.Nil(t, stored(t, s, "foos.example.com"))
	require.Nil(t, s.registry.find(foos("v1")))
	<-now.over
	changes, _, err := f.ready()
	require.NoError(t, err)
	require.Len(t, changes, 1, "what went with the definition is told to those who watch it")
	_, _, err = f.ready()
	require.ErrorIs(t, err, errDropped)
	_, err = res.table.commit(held, nil, draft{})
	require.ErrorIs(t, err, errDropped, "nothing is created behind the definition's back")
}

// A definition that changes is served by its new form, and watches start anew;
// another status changes nothing.
func TestDefinitionIsReplaced(t *testing.T) {
	s := bareServer(t)
	define(t, s, fooDefinition)
	first := s.registry.find(foos("v1"))
	define(t, s, fooDefinition)
	same := s.registry.find(foos("v1"))
	require.Equal(t, first.over, same.over)

	define(t, s, strings.Replace(fooDefinition, `"name":"v0"`, `"name":"v0","served":true`, 1))
	<-first.over
	require.NotNil(t, s.registry.find(foos("v0")))

	define(t, s, strings.NewReplacer(`"storage":true,`, "", `"name":"v0"`, `"name":"v0","served":true,"storage":true`).Replace(fooDefinition))
	require.Equal(t, []string{"v1", "v0"}, stored(t, s, "foos.example.com").Status.StoredVersions)
	require.Equal(t, "v0", s.registry.find(foos("v1")).storage.Version)
}

// What the server writes into a definition is its own, and who goes back to
// before it finds it no longer served.
func TestDefinitionOverHTTP(t *testing.T) {
	s := NewServer(Options{InMemory: true})
	defer s.Close()
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	before := s.store.current()
	created := must(t, s, "POST "+path, jsonType, fooDefinition)
	require.Equal(t, map[string]any{"acceptedNames": map[string]any{"kind": "", "plural": ""}, "conditions": nil, "storedVersions": []any{"v1"}}, created["status"])
	fields := string(encoded(t, at(must(t, s, "GET "+path+"/foos.example.com", "", ""), "metadata.managedFields")))
	require.Contains(t, fields, `"f:names":{"f:categories":{},"f:kind":{},"f:listKind":{},"f:plural":{},"f:shortNames":{},"f:singular":{}}`)
	require.Contains(t, fields, `"manager":"kube-apiserver","operation":"Update","subresource":"status"`)
	require.Contains(t, fields, `"k:{\"type\":\"Established\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}`)

	must(t, s, "POST /apis/example.com/v1/namespaces/default/foos", jsonType, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","finalizers":["a/b"]}}`)
	answer := must(t, s, "DELETE "+path+"/foos.example.com", "", "")
	require.Equal(t, []any{cleanupFinalizer}, at(answer, "metadata.finalizers"))
	code, refused, _ := send(t, s, "POST /apis/example.com/v1/namespaces/default/foos", jsonType, `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"b"}}`)
	require.Equal(t, 403, code)
	require.Equal(t, `foos.example.com "b" is forbidden: create not allowed while custom resource definition is terminating`, refused["message"])
	must(t, s, "PATCH /apis/example.com/v1/namespaces/default/foos/a", mergePatchType, `{"metadata":{"finalizers":null}}`)
	for _, gone := range []string{path + "/foos.example.com", "/apis/example.com/v1/foos"} {
		code, _, _ = send(t, s, "GET "+gone, "", "")
		require.Equal(t, 404, code, gone)
	}

	must(t, s, "POST "+path, jsonType, fooDefinition)
	s.RestartBack(s.store.current() - before)
	code, _, _ = send(t, s, "GET /apis/example.com/v1/foos", "", "")
	require.Equal(t, 404, code)
}

// What is registered from Go is not taken over by a definition.
func TestDefinitionLeavesRegisteredResourcesAlone(t *testing.T) {
	s := bareServer(t)
	own := Resource{}
	own.GroupVersionResource, own.Kind = foos("v1"), "Own"
	require.NoError(t, s.Register(own))
	define(t, s, fooDefinition)
	require.Equal(t, "Own", s.registry.find(foos("v1")).Kind)
	require.NotNil(t, s.registry.find(foos("v1alpha1")))
	deleteDefinition(t, s, "foos.example.com")
	require.Equal(t, "Own", s.registry.find(foos("v1")).Kind)
}

// The mistakes that are made most, in the words of kube-apiserver.
func TestDefinitionFaults(t *testing.T) {
	type edit = func(spec map[string]any)
	schemaOf := func(text string) edit {
		return func(spec map[string]any) {
			spec["versions"] = parsed(t, `{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+text+`}}]}`).Object["versions"]
		}
	}
	for name, test := range map[string]struct {
		edit edit
		want []string
	}{
		"name": {func(spec map[string]any) { spec["group"] = "example.org" },
			[]string{`metadata.name: Invalid value: "foos.example.com": must be spec.names.plural+"."+spec.group`}},
		"empty": {func(spec map[string]any) { clear(spec) }, []string{
			`metadata.name: Invalid value: "foos.example.com": must be spec.names.plural+"."+spec.group`, `spec.group: Required value`, `spec.scope: Required value`,
			`spec.versions: Invalid value: null: must have exactly one version marked as storage version`,
			`spec.names.plural: Required value`, `spec.names.singular: Required value`, `spec.names.kind: Required value`, `spec.names.listKind: Required value`,
			`status.storedVersions: Invalid value: null: must have at least one stored version`}},
		"no storage version": {func(spec map[string]any) {
			schemaOf(`{"type":"object"}`)(spec)
			spec["versions"].([]any)[0].(map[string]any)["storage"] = false
		}, []string{
			`spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version`,
			`status.storedVersions: Invalid value: null: must have at least one stored version`}},
		"scope and schema": {func(spec map[string]any) {
			spec["scope"] = "Nmespaced"
			schemaOf(`null`)(spec)
		}, []string{`spec.scope: Unsupported value: "Nmespaced": supported values: "Cluster", "Namespaced"`, `spec.versions[0].schema.openAPIV3Schema: Required value`}},
		"types": {schemaOf(`{"type":"object","properties":{"spec":{"properties":{"a":{"type":"array"},"b":{"type":"strange"}}}}}`), []string{
			`spec.validation.openAPIV3Schema.properties[spec].properties[a].items: Required value: must be specified`,
			`spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields`,
			`spec.validation.openAPIV3Schema.properties[spec].properties[b].type: Unsupported value: "strange": supported values: "array", "boolean", "integer", "number", "object", "string"`}},
		"keys": {schemaOf(`{"type":"object","properties":{"spec":{"type":"object","properties":{
				"l":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}}},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]},
				"m":{"type":"object","properties":{"q":{"type":"string"}},"additionalProperties":{"type":"string"}},
				"n":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"map"},
				"s":{"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"set"}}}}}`), []string{
			`spec.validation.openAPIV3Schema.properties[spec].properties[l].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
			`spec.validation.openAPIV3Schema.properties[spec].properties[m].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
			`spec.validation.openAPIV3Schema.properties[spec].properties[n].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
			`spec.validation.openAPIV3Schema.properties[spec].properties[n].items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`,
			`spec.validation.openAPIV3Schema.properties[spec].properties[s].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`}},
		"paths": {func(spec map[string]any) {
			schemaOf(`{}`)(spec)
			version := spec["versions"].([]any)[0].(map[string]any)
			for name, value := range parsed(t, `{"additionalPrinterColumns":[{"name":"","type":"x","jsonPath":"a"}],"subresources":{"scale":{"specReplicasPath":"x","statusReplicasPath":".a"}},"selectableFields":[{"jsonPath":".spec.zz"}]}`).Object {
				version[name] = value
			}
		}, []string{
			`spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root`,
			`spec.subresources.scale.specReplicasPath: Invalid value: "x": must be a simple json path starting with .`,
			`spec.subresources.scale.statusReplicasPath: Invalid value: ".a": should be a json path under .status`,
			`spec.additionalPrinterColumns[0].name: Required value`,
			`spec.additionalPrinterColumns[0].type: Invalid value: "x": must be one of boolean,date,integer,number,string`,
			`spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .`,
			`spec.selectableFields[0].jsonPath: Invalid value: ".spec.zz": is an invalid path: does not refer to a valid field`}},
		"what is no schema here": {schemaOf(`{"type":"object","properties":{"a":{"type":"null","$ref":"x"},"b":{"x-kubernetes-preserve-unknown-fields":false}}}`), []string{
			`spec.validation.openAPIV3Schema.properties[a].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
			`spec.validation.openAPIV3Schema.properties[a].$ref: Forbidden: $ref is not supported`,
			`spec.validation.openAPIV3Schema.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative`,
			`spec.validation.openAPIV3Schema.properties[b].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`}},
		"another strategy": {func(spec map[string]any) { spec["conversion"] = map[string]any{"strategy": "Bogus"} },
			[]string{`spec.conversion.strategy: Unsupported value: "Bogus": supported values: "None", "Webhook"`}},
		"a webhook": {func(spec map[string]any) { spec["conversion"] = map[string]any{"strategy": "Webhook"} },
			[]string{`spec.conversion.strategy: Unsupported value: "Webhook": supported values: "None"`}},
	} {
		t.Run(name, func(t *testing.T) {
			obj := parsed(t, fooDefinition)
			test.edit(obj.Object["spec"].(map[string]any))
			faults, err := prepareDefinition(obj, nil, "")
			require.NoError(t, err)
			var said []string
			for _, fault := range faults {
				said = append(said, fault.Error())
			}
			require.Equal(t, test.want, said)
		})
	}
}

// What a definition is about cannot become another once it is established.
func TestDefinitionUpdateFaults(t *testing.T) {
	s := bareServer(t)
	define(t, s, fooDefinition)
	current, err := decode(s.store.table(definitionsResource).get(key{name: "foos.example.com"}).raw)
	require.NoError(t, err)
	for what, edited := range map[string]string{
		"spec.scope: Invalid value: \"Cluster\": field is immutable":                                   strings.Replace(fooDefinition, "Namespaced", "Cluster", 1),
		"spec.names.kind: Invalid value: \"Bar\": field is immutable":                                  strings.Replace(fooDefinition, `"Foo"`, `"Bar"`, 1),
		"spec.group: Invalid value: \"example.org\": field is immutable":                               strings.Replace(fooDefinition, `"group":"example.com"`, `"group":"example.org"`, 1),
		"status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was previous": strings.NewReplacer(`"name":"v1"`, `"name":"v3"`).Replace(fooDefinition),
	} {
		faults, err := prepareDefinition(parsed(t, edited), current, "")
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(faults.ToAggregate().Errors(), func(err error) bool { return strings.HasPrefix(err.Error(), what) }), "%s: %v", what, faults)
	}
}

// A definition in a group of Kubernetes' own has to say who approved of it.
func TestDefinitionApproval(t *testing.T) {
	protected := strings.ReplaceAll(fooDefinition, "example.com", "example.k8s.io")
	faults, err := prepareDefinition(parsed(t, protected), nil, "")
	require.NoError(t, err)
	require.EqualError(t, faults.ToAggregate(), `metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`)

	s := bareServer(t)
	define(t, s, strings.Replace(protected, `"uid"`, `"annotations":{"api-approved.kubernetes.io":"unapproved, a test"},"uid"`, 1))
	require.Equal(t, "UnapprovedAnnotation", stored(t, s, "foos.example.k8s.io").condition("KubernetesAPIApprovalPolicyConformant").Reason)
}

// Anything that claims to be a definition is refused or served, and breaks
// nothing.
func FuzzDefinition(f *testing.F) {
	f.Add(fooDefinition)
	f.Add(`{"metadata":{"name":"x"},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"type":"array","items":{"properties":{"a":null}}}},"selectableFields":[{"jsonPath":"x"}]},null]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var content map[string]any
		if json.Unmarshal([]byte(text), &content) != nil || content == nil {
			return
		}
		obj := &unstructured.Unstructured{Object: content}
		if faults, err := prepareDefinition(obj, nil, ""); err != nil || len(faults) > 0 {
			return
		}
		d, err := readDefinition(obj)
		require.NoError(t, err)
		d.claimNames([]*definition{d})
		for _, res := range d.resources(nil) {
			require.NotEmpty(t, res.Kind)
			require.NotEmpty(t, res.GroupVersionResource.Resource)
		}
	})
}

// twoVersions have a field of their own each; objects are stored as v1.
const twoVersions = `{
  apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: bars.example.com},
  spec: {group: example.com, scope: Cluster, names: {plural: bars, kind: Bar}, versions: [
    {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {old: {type: string, default: o}}}}}}},
    {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {new: {type: string, default: n}}}}}}}]}}`

// CustomResourceDefinition versioning, strategy None: objects change nothing but
// their apiVersion between versions, and are stored as the schema of the stored
// version has them.
func TestVersionsOfCustomResourcesAreStoredAsOne(t *testing.T) {
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

// Finalizers of custom resources are asked for a domain by a warning; those that
// were there before are not warned of again.
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

// A write that the end of its definition overtakes is one to a path at which
// there is nothing any more.
func TestWriteAfterTheEndOfItsDefinition(t *testing.T) {
	answer := httptest.NewRecorder()
	fail(answer, httptest.NewRequest("POST", "/apis/example.com/v1/bars", nil), fmt.Errorf("create: %w", errDropped))
	require.Equal(t, 404, answer.Code)
	require.Equal(t, "404 page not found\n", answer.Body.String())
}
