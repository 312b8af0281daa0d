package kinds

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var podKind = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}

// Each kind that is served has a type.
func TestBuiltinKindsHaveTypes(t *testing.T) {
	for _, r := range Builtin() {
		typ := TypeOf(r.GroupVersionKind())
		if assert.NotNil(t, typ, "%v", r.GroupVersionKind()) {
			assert.NotNil(t, typ.fields["metadata"], "%v", r.GroupVersionKind())
		}
	}
	assert.Nil(t, TypeOf(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}))
}

func TestTypesHaveThePropertiesOfTheTable(t *testing.T) {
	spec := TypeOf(podKind).child("spec")
	ports := spec.child("containers").element.fields["ports"]
	assert.Equal(t, []string{"containerPort", "protocol"}, ports.keys)
	assert.Equal(t, "containerPort", ports.mergeKey)
	assert.Equal(t, "TCP", ports.element.child("protocol").defaultValue)
	assert.Equal(t, int64(0), ports.element.child("containerPort").defaultValue)
	assert.Equal(t, "atomic", spec.fields["nodeSelector"].relation)
	assert.True(t, spec.fields["volumes"].retainKeys)
	finalizers := TypeOf(podKind).child("metadata").fields["finalizers"]
	assert.True(t, finalizers.set && finalizers.merge)
	assert.Equal(t, text, TypeOf(podKind).child("metadata").child("labels").child("whatever").kind)
	assert.Nil(t, spec.child("whatever"))
}

// The JSON of an empty Go value, which the field manager starts from.
func TestEmptyEqualsTheEmptyGoValue(t *testing.T) {
	assert.Equal(t, mapOf(t, `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {}, spec: {selector: null, template: {metadata: {}, spec: {containers: null}}}, status: {replicas: 0}}`),
		Empty(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"}).Object)
	assert.Equal(t, mapOf(t, `{apiVersion: example.com/v1, kind: Thing}`),
		Empty(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}).Object)
}

// readTable parses all of a table.
func readTable(text string) (*table, error) {
	t, err := newTable(text)
	if err != nil {
		return nil, err
	}
	_, err = t.all()
	return t, err
}

func TestWholeTableIsValid(t *testing.T) {
	read, err := readTable(mergeText)
	require.NoError(t, err)
	for kind, typ := range read.kinds {
		assert.NotPanics(t, func() { typ() }, "%v", kind)
	}
	assert.Panics(t, func() { read.mustType("core.Nothing") })
}

func TestInvalidTables(t *testing.T) {
	for text, complaint := range map[string]string{
		"kind v1":                         "neither",
		"\tfield string":                  "neither a kind nor a type",
		"type ":                           "type without a name",
		"type a\n\tb":                     "a: \"b\" is not a field",
		"type a\n\tb string wrong":        `unknown word "wrong"`,
		"type a\n\tb string default={":    "default {",
		"type a\n\nkind v1 A a\n\ntype a": "duplicate type a",
		"type a\n\tb []b":                 "type b is not defined",
		"kind a/b/c A a":                  "unexpected GroupVersion",
	} {
		_, err := readTable(text)
		require.ErrorContains(t, err, complaint, "%q", text)
	}
}

func BenchmarkReadTable(b *testing.B) {
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := readTable(mergeText); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("namespace", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			t, err := newTable(mergeText)
			if err != nil {
				b.Fatal(err)
			}
			t.mustType("core.Namespace")
		}
	})
}
