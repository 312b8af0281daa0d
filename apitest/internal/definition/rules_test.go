package definition

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// example is a valid definition.
//
//go:embed testdata/foos.json
var example string

// decode decodes an object.
func decode(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	obj, err := objects.Decode([]byte(text))
	require.NoError(t, err, text)
	return obj
}

// The most frequent mistakes, with the messages of kube-apiserver.
func TestDefinitionValidation(t *testing.T) {
	type edit = func(spec map[string]any)
	schemaOf := func(text string) edit {
		return func(spec map[string]any) {
			spec["versions"] = decode(t, `{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+text+`}}]}`).Object["versions"]
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
			for name, value := range decode(t, `{"additionalPrinterColumns":[{"name":"","type":"x","jsonPath":"a"}],"subresources":{"scale":{"specReplicasPath":"x","statusReplicasPath":".a"}},"selectableFields":[{"jsonPath":".spec.zz"}]}`).Object {
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
		"unsupported schema members": {schemaOf(`{"type":"object","properties":{"a":{"type":"null","$ref":"x"},"b":{"x-kubernetes-preserve-unknown-fields":false}}}`), []string{
			`spec.validation.openAPIV3Schema.properties[a].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
			`spec.validation.openAPIV3Schema.properties[a].$ref: Forbidden: $ref is not supported`,
			`spec.validation.openAPIV3Schema.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative`,
			`spec.validation.openAPIV3Schema.properties[b].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`}},
		"unknown strategy": {func(spec map[string]any) { spec["conversion"] = map[string]any{"strategy": "Bogus"} },
			[]string{`spec.conversion.strategy: Unsupported value: "Bogus": supported values: "None", "Webhook"`}},
		"webhook": {func(spec map[string]any) { spec["conversion"] = map[string]any{"strategy": "Webhook"} },
			[]string{`spec.conversion.strategy: Unsupported value: "Webhook": supported values: "None"`}},
	} {
		t.Run(name, func(t *testing.T) {
			obj := decode(t, example)
			test.edit(obj.Object["spec"].(map[string]any))
			found, err := Prepare(obj, nil, "")
			require.NoError(t, err)
			var got []string
			for _, err := range found {
				got = append(got, err.Error())
			}
			require.Equal(t, test.want, got)
		})
	}
}

// The identity of a definition cannot change once it is established.
func TestDefinitionUpdateValidation(t *testing.T) {
	current := decode(t, example)
	found, err := Prepare(current, nil, "")
	require.NoError(t, err)
	require.Empty(t, found)
	d, err := Read(current)
	require.NoError(t, err)
	d.SetCondition(Condition{Type: "Established", Status: "True"})
	require.NoError(t, d.WriteStatus(current))
	for name, edited := range map[string]string{
		"spec.scope: Invalid value: \"Cluster\": field is immutable":                                   strings.Replace(example, "Namespaced", "Cluster", 1),
		"spec.names.kind: Invalid value: \"Bar\": field is immutable":                                  strings.Replace(example, `"Foo"`, `"Bar"`, 1),
		"spec.group: Invalid value: \"example.org\": field is immutable":                               strings.Replace(example, `"group":"example.com"`, `"group":"example.org"`, 1),
		"status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was previous": strings.NewReplacer(`"name":"v1"`, `"name":"v3"`).Replace(example),
	} {
		found, err := Prepare(decode(t, edited), current, "")
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(found.ToAggregate().Errors(), func(err error) bool { return strings.HasPrefix(err.Error(), name) }), "%s: %v", name, found)
	}
}

// A definition in a group of the Kubernetes community needs the approval
// annotation.
func TestDefinitionApproval(t *testing.T) {
	protected := strings.ReplaceAll(example, "example.com", "example.k8s.io")
	found, err := Prepare(decode(t, protected), nil, "")
	require.NoError(t, err)
	require.EqualError(t, found.ToAggregate(), `metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`)

	d, err := Read(decode(t, strings.Replace(protected, `"uid"`, `"annotations":{"api-approved.kubernetes.io":"unapproved, a test"},"uid"`, 1)))
	require.NoError(t, err)
	require.True(t, d.UpdateApproval())
	require.Equal(t, "UnapprovedAnnotation", d.Condition("KubernetesAPIApprovalPolicyConformant").Reason)
}

// Every definition is rejected or served, and does not break the server.
func FuzzDefinition(f *testing.F) {
	f.Add(example)
	f.Add(`{"metadata":{"name":"x"},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"type":"array","items":{"properties":{"a":null}}}},"selectableFields":[{"jsonPath":"x"}]},null]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var content map[string]any
		if json.Unmarshal([]byte(text), &content) != nil || content == nil {
			return
		}
		obj := &unstructured.Unstructured{Object: content}
		if found, err := Prepare(obj, nil, ""); err != nil || len(found) > 0 {
			return
		}
		d, err := Read(obj)
		require.NoError(t, err)
		d.AcceptNames([]*Definition{d})
		for _, res := range d.Resources(nil) {
			require.NotEmpty(t, res.Kind)
			require.NotEmpty(t, res.GroupVersionResource.Resource)
		}
	})
}
