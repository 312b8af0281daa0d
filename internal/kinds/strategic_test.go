package kinds

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// mapOf parses a YAML object, with numbers as the server decodes them.
func mapOf(t testing.TB, text string) map[string]any {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	made := map[string]any{}
	require.NoError(t, utiljson.Unmarshal(encoded, &made))
	return made
}

// API conventions, strategic merge patch: the types define how lists are merged.
func TestStrategicMerge(t *testing.T) {
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	for name, test := range map[string]struct {
		kind                    schema.GroupVersionKind
		original, patch, merged string
	}{
		"lists with a merge key are merged by it": {podKind,
			`{spec: {containers: [{name: a, image: x}]}}`, `{spec: {containers: [{name: a, image: "y"}, {name: b, image: z}]}}`,
			`{spec: {containers: [{name: a, image: "y"}, {name: b, image: z}]}}`},
		"elements are deleted by a directive": {podKind,
			`{spec: {containers: [{name: a}, {name: b}]}}`, `{spec: {containers: [{name: a, $patch: delete}]}}`,
			`{spec: {containers: [{name: b}]}}`},
		"other lists are replaced": {podKind,
			`{spec: {tolerations: [{key: a}]}}`, `{spec: {tolerations: [{key: b}]}}`,
			`{spec: {tolerations: [{key: b}]}}`},
		"lists of scalars can be merged": {podKind,
			`{metadata: {finalizers: [a/a]}}`, `{metadata: {finalizers: [b/b]}}`,
			`{metadata: {finalizers: [b/b, a/a]}}`},
		"elements of lists of scalars can be deleted": {podKind,
			`{metadata: {finalizers: [a/a, b/b]}}`, `{metadata: {$deleteFromPrimitiveList/finalizers: [a/a]}}`,
			`{metadata: {finalizers: [b/b]}}`},
		"owners are merged by uid": {podKind,
			`{metadata: {ownerReferences: [{uid: "1", name: a}]}}`, `{metadata: {ownerReferences: [{uid: "1", name: b}]}}`,
			`{metadata: {ownerReferences: [{uid: "1", name: b}]}}`},
		"retainKeys removes other keys": {deployment,
			`{spec: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}}}`, `{spec: {strategy: {$retainKeys: [type], type: Recreate}}}`,
			`{spec: {strategy: {type: Recreate}}}`},
		"null deletes": {podKind,
			`{metadata: {labels: {a: b, c: d}}}`, `{metadata: {labels: {a: null}}}`,
			`{metadata: {labels: {c: d}}}`},
		"the order of elements can be set": {podKind,
			`{spec: {containers: [{name: a}, {name: b}]}}`, `{spec: {$setElementOrder/containers: [{name: b}, {name: a}], containers: [{name: b, image: x}]}}`,
			`{spec: {containers: [{name: b, image: x}, {name: a}]}}`},
	} {
		merged, err := StrategicMerge(test.kind, mapOf(t, test.original), mapOf(t, test.patch))
		if assert.NoError(t, err, name) {
			assert.Equal(t, mapOf(t, test.merged), merged, name)
		}
	}
}

// Invalid patches are rejected, and no patch makes the server panic.
func TestInvalidStrategicPatches(t *testing.T) {
	for patch, complaint := range map[string]string{
		`{spec: {containers: [{image: x}]}}`:                                          "does not contain declared merge key: name",
		`{spec: {containers: [{name: a, $patch: wrong}]}}`:                            "wrong",
		`{spec: {containers: [{name: a}, 1]}}`:                                        "not identical",
		`{spec: {$retainKeys: 1}}`:                                                    "retainKeys",
		`{spec: {$retainKeys: [[a]]}}`:                                                "has a value of a wrong type",
		`{spec: {$setElementOrder/containers: 1}}`:                                    "expected a []interface {}",
		`{spec: {$setElementOrder/foo: []}}`:                                          `unable to find api field in struct PodSpec for the json field "foo"`,
		`{spec: {containers: [{name: {a: b}, $patch: delete}]}}`:                      "has a value of a wrong type",
		`{spec: {volumes: [[a]]}}`:                                                    "the server rejected our request due to an error in our request",
		`{spec: {volumes: [null]}}`:                                                   "has a value of a wrong type",
		`{metadata: {labels: {a: {b: c}}}}`:                                           "data type is not struct, instead is: map",
		`{metadata: {labels: {a: [1]}}}`:                                              "",
		`{spec: {$setElementOrder/containers: [{name: b}], containers: [{name: c}]}}`: "order in patch list",
	} {
		original := mapOf(t, `{metadata: {labels: {a: {b: d}}}, spec: {volumes: [], containers: [{name: a}, {name: {x: y}}]}}`)
		_, err := StrategicMerge(podKind, original, mapOf(t, patch))
		if complaint != "" {
			assert.ErrorContains(t, err, complaint, patch)
		}
	}
	for patch, code := range map[string]int32{
		`{spec: {volumes: [[a]]}}`:                   http.StatusUnprocessableEntity,
		`{spec: {$retainKeys: 1}}`:                   http.StatusBadRequest,
		`{metadata: {$deleteFromPrimitiveList: []}}`: http.StatusBadRequest,
	} {
		_, err := StrategicMerge(podKind, mapOf(t, `{metadata: {}, spec: {volumes: []}}`), mapOf(t, patch))
		var status apierrors.APIStatus
		require.ErrorAs(t, err, &status, patch)
		assert.Equal(t, code, status.Status().Code, patch)
	}
}

// A kind without a type is an error; the caller rejects the patch.
func TestCustomResourcesHaveNoStrategicMerge(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}
	assert.Nil(t, TypeOf(kind))
	_, err := StrategicMerge(kind, map[string]any{}, map[string]any{})
	assert.ErrorContains(t, err, "strategic merge patch format is not supported")
	assert.NotNil(t, TypeOf(podKind))
}

func FuzzStrategicMerge(f *testing.F) {
	f.Add(`{"spec":{"containers":[{"name":"a"}]}}`, `{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a","$patch":"delete"}]}}`)
	f.Add(`{"metadata":{"finalizers":["a"]}}`, `{"metadata":{"$deleteFromPrimitiveList/finalizers":[["a"]],"finalizers":[null,{}]}}`)
	f.Add(`{"spec":{"volumes":[{"name":"a","emptyDir":{}}]}}`, `{"spec":{"volumes":[{"name":"a","$retainKeys":[{}]}]}}`)
	f.Fuzz(func(t *testing.T, original, patch string) {
		var into, with map[string]any
		if yaml.Unmarshal([]byte(original), &into) != nil || yaml.Unmarshal([]byte(patch), &with) != nil {
			return
		}
		merged, err := StrategicMerge(podKind, into, with)
		if err == nil && merged == nil {
			t.Error("got neither a result nor an error")
		}
	})
}
