package kinds

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const thingSchema = `
type: object
properties:
  spec:
    type: object
    properties:
      size: {type: integer, default: 3}
      name: {type: string, nullable: true, default: x}
      port: {x-kubernetes-int-or-string: true}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: object, properties: {a: {type: string}}}}}
      labels: {type: object, additionalProperties: {type: string}}
      whole: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}, b: {type: string}}}
      tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port, protocol]
        items: {type: object, properties: {port: {type: integer}, protocol: {type: string, default: TCP}, note: {type: string}}}
      plain: {type: array, items: {type: object, properties: {a: {type: string}}}}
      template: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  status: {type: object, properties: {ready: {type: boolean}}}
`

func thing(t testing.TB) *Type {
	t.Helper()
	made, err := FromSchema(mapOf(t, thingSchema))
	require.NoError(t, err)
	return made
}

// Structural schemas: fields that are not specified are pruned, unless they are
// preserved, and strict validation reports their paths.
func TestUnknownCustomFieldsArePruned(t *testing.T) {
	content := mapOf(t, `{apiVersion: a/v1, kind: Thing, metadata: {name: a, foo: 1}, other: 1, spec: {
		foo: {bar: 1}, size: 1, port: 80, labels: {a: b},
		free: {x: {z: 1}, known: {a: b, c: d}},
		ports: [{port: 1, foo: 1}], plain: [{a: b}, {c: d}],
		template: {apiVersion: v1, kind: Pod, metadata: {name: a, bar: 1}, spec: {a: b}, status: {}}}}`)
	assert.Equal(t, []string{
		"metadata.foo",
		"other", "spec.foo", "spec.free.known.c", "spec.plain[1].c", "spec.ports[0].foo", "spec.template.status",
		"spec.template.metadata.bar",
	}, thing(t).Prune(content))
	assert.Equal(t, mapOf(t, `{apiVersion: a/v1, kind: Thing, metadata: {name: a}, spec: {
		size: 1, port: 80, labels: {a: b},
		free: {x: {z: 1}, known: {a: b}},
		ports: [{port: 1}], plain: [{a: b}, {}],
		template: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {a: b}}}}`), content)
	assert.Empty(t, thing(t).Prune(content))
}

// The real server decodes built-in kinds into Go types, which drops unknown
// fields.
func TestUnknownBuiltinFieldsArePruned(t *testing.T) {
	pod := read(t, `{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {a: b}, foo: 1}, spec: {foo: {}, containers: [{name: a, bar: 1, resources: {limits: {cpu: 1}}}]}}`)
	assert.Equal(t, []string{"metadata.foo", "spec.containers[0].bar", "spec.foo"}, TypeOf(podKind).Prune(pod.Object))
	assert.Equal(t, read(t, `{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {a: b}}, spec: {containers: [{name: a, resources: {limits: {cpu: 1}}}]}}`), pod)

	revision := read(t, `{apiVersion: apps/v1, kind: ControllerRevision, data: {a: [{b: c}]}, revision: 1}`)
	assert.Empty(t, TypeOf(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}).Prune(revision.Object))
}

func TestDefaultsAreSet(t *testing.T) {
	content := mapOf(t, `{spec: {name: null, size: null, labels: null, ports: [{port: 1}]}}`)
	made := thing(t)
	made.Default(content, nil)
	made.DropNulls(content)
	assert.Equal(t, mapOf(t, `{spec: {name: null, size: 3, ports: [{port: 1, protocol: TCP}]}}`), content)

	empty := mapOf(t, `{spec: {}, metadata: {}}`)
	made.Default(empty, nil)
	assert.Equal(t, mapOf(t, `{spec: {name: x, size: 3}, metadata: {}}`), empty)

	// Objects do not share their defaults.
	whole, err := FromSchema(mapOf(t, `{type: object, properties: {spec: {type: object, default: {list: [a]}}}}`))
	require.NoError(t, err)
	first, second := map[string]any{}, map[string]any{}
	whole.Default(first, nil)
	whole.Default(second, nil)
	first["spec"].(map[string]any)["list"].([]any)[0] = "changed"
	assert.Equal(t, mapOf(t, `{spec: {list: [a]}}`), second)
}

// The list keys of built-in kinds have defaults for merging. They are not the
// defaults of objects.
func TestBuiltinKindsHaveNoDefaults(t *testing.T) {
	pod := read(t, `{apiVersion: v1, kind: Pod, spec: {containers: [{ports: [{containerPort: 1}]}]}}`)
	TypeOf(podKind).Default(pod.Object, nil)
	owned := mapOf(t, `{metadata: {ownerReferences: [{uid: null}]}}`)
	thing(t).Default(owned, nil)
	assert.Equal(t, mapOf(t, `{metadata: {ownerReferences: [{uid: null}]}}`), owned)
	assert.Equal(t, read(t, `{apiVersion: v1, kind: Pod, spec: {containers: [{ports: [{containerPort: 1}]}]}}`), pod)
}

// Server-side apply of custom resources follows their schema.
func TestCustomFieldsAreManagedAsSchemasDefine(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}
	got, err := manager(t, kind, NewConverter(thing(t))).Update(Empty(kind), read(t, `{apiVersion: example.com/v1, kind: Thing, metadata: {name: a, finalizers: [a/b]}, spec: {
		whole: {a: b}, tags: [a], ports: [{port: 1}], plain: [{a: b}], free: {x: {z: 1}}, template: {metadata: {labels: {a: b}}, spec: {a: [1]}}}}`), "me")
	require.NoError(t, err)
	assert.JSONEq(t, `{"f:metadata": {"f:finalizers": {".": {}, "v:\"a/b\"": {}}}, "f:spec": {".": {},
		"f:whole": {}, "f:tags": {".": {}, "v:\"a\"": {}}, "f:plain": {},
		"f:ports": {".": {}, "k:{\"port\":1,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}},
		"f:free": {".": {}, "f:x": {".": {}, "f:z": {}}},
		"f:template": {".": {}, "f:metadata": {".": {}, "f:labels": {".": {}, "f:a": {}}}, "f:spec": {".": {}, "f:a": {}}}
	}}`, fieldsOf(got.(*unstructured.Unstructured))["me Update"])

	_, err = NewConverter(thing(t)).ObjectToTyped(read(t, `{apiVersion: example.com/v1, kind: Thing, spec: {foo: 1}}`))
	assert.ErrorContains(t, err, ".spec.foo: field not declared in schema")

	// Preserved unknown fields are accepted at any depth, and so are the fields of an
	// object without properties.
	open, err := FromSchema(mapOf(t, `{type: object, properties: {
		spec: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {deep: {type: object, properties: {a: {type: string}}}}},
		any: {type: object}}}`))
	require.NoError(t, err)
	_, err = NewConverter(open).ObjectToTyped(read(t, `{apiVersion: example.com/v1, kind: Thing, spec: {foo: 1, deep: {foo: 1}}, any: {foo: 1}}`))
	assert.NoError(t, err)
}

// A property name may contain a dot.
func TestPropertyNamesAreUnambiguous(t *testing.T) {
	typ, err := FromSchema(mapOf(t, `
type: object
properties:
  a.b: {type: object, properties: {x: {type: string}}}
  a: {type: object, properties: {b: {type: object, properties: {v: {type: string}}}}}
  l: {type: array, items: {type: object, properties: {z: {type: string}}}}
  l[]: {type: object, properties: {x: {type: string}}}
  m: {type: object, additionalProperties: {type: object, properties: {z: {type: string}}}}
  m{}: {type: object, properties: {x: {type: string}}}
  '["q"]': {type: object, properties: {x: {type: string}}}
`))
	require.NoError(t, err)
	_, err = NewConverter(typ).ObjectToTyped(read(t, `
a.b: {x: "1"}
a: {b: {v: "1"}}
l: [{z: "1"}]
l[]: {x: "1"}
m: {k: {z: "1"}}
m{}: {x: "1"}
'["q"]': {x: "1"}
`))
	require.NoError(t, err)
}

func TestInvalidSchemas(t *testing.T) {
	for text, complaint := range map[string]string{
		`{properties: {a: 1}}`: "#.a: property is not a schema",
		`{properties: {a: {type: array, x-kubernetes-list-type: map}}}`:                                  "#.a: list type map requires",
		`{properties: {a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [1]}}}`: "contains a int64",
		`{additionalProperties: {properties: {b: x}}, type: object}`:                                     "#{}.b",
		`{properties: {a: {type: array, items: {properties: {b: x}}}}}`:                                  "#.a[].b",
	} {
		_, err := FromSchema(mapOf(t, text))
		assert.ErrorContains(t, err, complaint, text)
	}
	deep := map[string]any{}
	for range 2 * maxSchemaDepth {
		deep = map[string]any{"type": "array", "items": deep}
	}
	_, err := FromSchema(map[string]any{"properties": map[string]any{"a": deep}})
	assert.ErrorIs(t, err, errSchemaTooDeep)
	_, err = FromSchema(nil)
	assert.NoError(t, err)
}
