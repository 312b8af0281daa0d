package kinds

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// noConversion implements conversion, defaulting and creation for kinds that have one
// version. It changes nothing.
type noConversion struct{}

func (noConversion) Convert(in, out, context any) error { return nil }
func (noConversion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (noConversion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (noConversion) Default(runtime.Object) {}
func (noConversion) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return Empty(kind), nil
}

func manager(t testing.TB, kind schema.GroupVersionKind, converter *Converter) *managedfields.FieldManager {
	t.Helper()
	made, err := managedfields.NewDefaultFieldManager(converter, noConversion{}, noConversion{}, noConversion{}, kind, kind.GroupVersion(), "", nil)
	require.NoError(t, err)
	return made
}

func read(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	return &unstructured.Unstructured{Object: mapOf(t, text)}
}

// fieldsOf returns the fields that each of an object's managers owns, as JSON.
func fieldsOf(object *unstructured.Unstructured) map[string]string {
	fields := map[string]string{}
	for _, entry := range object.GetManagedFields() {
		fields[entry.Manager+" "+string(entry.Operation)] = entry.FieldsV1.GetRawString()
	}
	return fields
}

const onePod = `
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {app: x}, finalizers: [example.com/f]}
spec:
  nodeSelector: {disk: ssd}
  containers:
  - name: main
    image: i
    ports: [{containerPort: 80}]
    resources: {limits: {cpu: 1}}
`

// Server-side apply: lists with keys, sets and atomic objects are managed as
// the API types define, and a key that is missing has its default.
func TestFieldsAreManagedAsTypesDefine(t *testing.T) {
	empty, _ := noConversion{}.New(podKind)
	got, err := manager(t, podKind, ConverterOf(podKind)).Update(empty, read(t, onePod), "me")
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"f:metadata": {"f:labels": {".": {}, "f:app": {}}, "f:finalizers": {".": {}, "v:\"example.com/f\"": {}}},
		"f:spec": {
			"f:nodeSelector": {},
			"f:containers": {"k:{\"name\":\"main\"}": {
				".": {}, "f:name": {}, "f:image": {},
				"f:ports": {".": {}, "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}},
				"f:resources": {".": {}, "f:limits": {".": {}, "f:cpu": {}}}
			}}
		}
	}`, fieldsOf(got.(*unstructured.Unstructured))["me Update"])
}

func TestApplyMergesListsByTheirKeys(t *testing.T) {
	fields := manager(t, podKind, ConverterOf(podKind))
	empty, _ := noConversion{}.New(podKind)
	live, err := fields.Update(empty, read(t, onePod), "creator")
	require.NoError(t, err)
	sidecar := read(t, `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: side, image: s}]}}`)
	live, err = fields.Apply(live, sidecar, "applier", false)
	require.NoError(t, err)
	containers, _, _ := unstructured.NestedSlice(live.(*unstructured.Unstructured).Object, "spec", "containers")
	require.Len(t, containers, 2)
	_, err = fields.Apply(live, read(t, `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: main, image: other}]}}`), "applier", false)
	assert.ErrorContains(t, err, `conflict with "creator" using v1: .spec.containers[name="main"].image`)
}

// An applied object must match its type; the real server returns the same errors.
func TestAppliedObjectsAreValidated(t *testing.T) {
	for text, complaint := range map[string]string{
		`{apiVersion: v1, kind: Pod, spec: {foo: 1}}`:                                                 ".spec.foo: field not declared in schema",
		`{apiVersion: v1, kind: Pod, spec: {nodeName: 1}}`:                                            ".spec.nodeName: expected string, got &value.valueUnstructured{Value:1}",
		`{apiVersion: v1, kind: Pod, spec: {containers: [{name: a}, {name: a}]}}`:                     `duplicate entries for key [name="a"]`,
		`{apiVersion: v1, kind: Pod, spec: {containers: 3}}`:                                          "expected list",
		`{apiVersion: v1, kind: Pod, spec: {activeDeadlineSeconds: x}}`:                               "expected numeric (int or float), got string",
		`{apiVersion: v1, kind: Pod, spec: {containers: [{name: a, resources: {limits: {cpu: 1}}}]}}`: "",
	} {
		_, err := ConverterOf(podKind).ObjectToTyped(read(t, text))
		if complaint == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, complaint, text)
		}
	}
}

// A stored object is not validated; all of its fields are managed.
func TestStoredObjectsAreNotValidated(t *testing.T) {
	odd := read(t, `{apiVersion: v1, kind: Pod, metadata: {name: a, labels: 3}, spec: {foo: {bar: [1]}, nodeName: {a: b}, containers: none, volumes: [{name: a}, {name: a}]}}`)
	empty, _ := noConversion{}.New(podKind)
	got, err := manager(t, podKind, ConverterOf(podKind)).Update(empty, odd, "me")
	require.NoError(t, err)
	assert.JSONEq(t, `{"f:spec": {
		"f:foo": {".": {}, "f:bar": {}},
		"f:volumes": {".": {}, "k:{\"name\":\"a\"}": {}}}}`, fieldsOf(got.(*unstructured.Unstructured))["me Update"])
}

func TestUnknownKindIsManagedWithoutASchema(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}
	assert.Nil(t, ConverterOf(kind))
	empty, _ := noConversion{}.New(kind)
	got, err := manager(t, kind, NewConverter(nil)).Update(empty, read(t, `{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, spec: {list: [{name: a}], map: {a: {b: c}}}}`), "me")
	require.NoError(t, err)
	assert.JSONEq(t, `{"f:spec": {".": {}, "f:list": {}, "f:map": {".": {}, "f:a": {".": {}, "f:b": {}}}}}`, fieldsOf(got.(*unstructured.Unstructured))["me Update"])
}

func TestConverterRejectsOtherTypes(t *testing.T) {
	_, err := NewConverter(nil).ObjectToTyped(&unstructured.UnstructuredList{})
	assert.ErrorContains(t, err, "want *unstructured.Unstructured")
	list, err := typed.DeducedParseableType.FromUnstructured([]any{})
	require.NoError(t, err)
	_, err = NewConverter(nil).TypedToObject(list)
	assert.ErrorContains(t, err, "want an object")
}

func BenchmarkManageFields(b *testing.B) {
	fields := manager(b, podKind, ConverterOf(podKind))
	pod := read(b, benchmarkPod)
	encoded, err := json.Marshal(pod)
	require.NoError(b, err)
	b.Logf("%d bytes", len(encoded))
	b.Run("create", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			empty, _ := noConversion{}.New(podKind)
			if _, err := fields.Update(empty, pod, "me"); err != nil {
				b.Fatal(err)
			}
			pod.SetManagedFields(nil)
		}
	})
	empty, _ := noConversion{}.New(podKind)
	live, err := fields.Update(empty, pod.DeepCopy(), "me")
	require.NoError(b, err)
	b.Run("update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := fields.Update(live, pod, "me"); err != nil {
				b.Fatal(err)
			}
			pod.SetManagedFields(nil)
		}
	})
	b.Run("apply", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := fields.Apply(live, pod, "other", true); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			parseable(TypeOf(podKind), true)
		}
	})
}

const benchmarkPod = `
apiVersion: v1
kind: Pod
metadata:
  name: web-7d4f9c6b5-abcde
  namespace: default
  labels: {app: web, pod-template-hash: 7d4f9c6b5, tier: front}
  annotations: {example.com/a: b}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-7d4f9c6b5, uid: 0b4e8b9a-0000-4000-8000-000000000000, controller: true, blockOwnerDeletion: true}]
spec:
  nodeName: node-1
  serviceAccountName: default
  restartPolicy: Always
  tolerations:
  - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
  volumes:
  - name: config
    configMap: {name: web}
  containers:
  - name: main
    image: example.com/web:1
    env: [{name: A, value: b}, {name: C, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    ports: [{containerPort: 80, name: http}]
    resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 100m, memory: 128Mi}}
    volumeMounts: [{name: config, mountPath: /etc/web}]
    livenessProbe: {httpGet: {path: /healthz, port: 80}, initialDelaySeconds: 3}
`
