package kinds

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func texts(errs []error) (all []string) {
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return all
}

// Field validation: duplicate and unknown fields are reported once, in the order
// of the text. Names are case-sensitive. Opaque values are not examined.
func TestFindingsAreInTextOrder(t *testing.T) {
	findings, err := TypeOf(podKind).Inspect([]byte(`{"Kind": "", "metadata": {"zz": 1, "labels": {"a": "b", "a": "c"}, "managedFields": [{"q": 1, "fieldsV1": {"x": 1, "x": 2}}]},
		"spec": {"containers": [{"bad": {"a": 1, "a": 2}, "bad": 1}, {"bad": 1, "name": "a", "name": "b"}], "containers": [], "containers": []}}`))
	require.NoError(t, err)
	assert.Equal(t, []string{
		`unknown field "Kind"`, `unknown field "metadata.zz"`, `duplicate field "metadata.labels.a"`, `unknown field "metadata.managedFields[0].q"`,
		`unknown field "spec.containers[0].bad"`, `unknown field "spec.containers[1].bad"`, `duplicate field "spec.containers[1].name"`, `duplicate field "spec.containers"`,
	}, texts(findings))

	revision := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}
	findings, err = TypeOf(revision).Inspect([]byte(`{"data": {"a": 1, "a": 2}}`))
	require.NoError(t, err)
	require.Empty(t, findings)
}

func TestFindingsAreBounded(t *testing.T) {
	var body strings.Builder
	for i := range 150 {
		fmt.Fprintf(&body, `,"f%d":1`, i)
	}
	findings, err := TypeOf(podKind).Inspect([]byte("{" + body.String()[1:] + "}"))
	require.NoError(t, err)
	require.Len(t, findings, 100)
	require.EqualError(t, findings[99], `unknown field "f99"`)
}

// A value of a wrong type is found in the content. The error for a text is that of
// the decoder, the error for a merged object that of the converter.
func TestValuesOfWrongTypes(t *testing.T) {
	const field = "json: cannot unmarshal %s into Go struct field %s of type %s"
	mismatch := func(got, at, typ string) string { return fmt.Sprintf(field, got, at, typ) }
	const quantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
	for _, c := range []struct{ spec, inspected, converted string }{
		{`"x"`, mismatch("string", "Pod.spec", "v1.PodSpec"), "cannot restore struct from: string"},
		{`{"containers": "x"}`, mismatch("string", "PodSpec.spec.containers", "[]v1.Container"), "cannot restore slice from string"},
		{`{"containers": [["x"]]}`, mismatch("array", "PodSpec.spec.containers", "v1.Container"), "cannot restore struct from: slice"},
		{`{"containers": [{"name": 1}]}`, mismatch("number", "Container.spec.containers.name", "string"), "cannot convert int64 to string"},
		{`{"nodeName": 1.5}`, mismatch("number", "PodSpec.spec.nodeName", "string"), "unrecognized type: string"},
		{`{"dnsPolicy": 1}`, mismatch("number", "PodSpec.spec.dnsPolicy", "v1.DNSPolicy"), "cannot convert int64 to v1.DNSPolicy"},
		{`{"priority": 1.5}`, mismatch("number 1.5", "PodSpec.spec.priority", "int32"), "cannot convert float64 to int32"},
		{`{"priority": 5000000000}`, mismatch("number 5000000000", "PodSpec.spec.priority", "int32"), ""},
		{`{"priority": "1"}`, mismatch("string", "PodSpec.spec.priority", "int32"), "unrecognized type: int32"},
		{`{"hostNetwork": "true"}`, mismatch("string", "PodSpec.spec.hostNetwork", "bool"), "unrecognized type: bool"},
		{`{"nodeSelector": []}`, mismatch("array", "PodSpec.spec.nodeSelector", "map[string]string"), "cannot restore map from slice"},
		{`{"nodeSelector": {"a": true}}`, mismatch("bool", "PodSpec.spec.nodeSelector", "string"), "unrecognized type: string"},
		{`{"volumes": [{"secret": 1}]}`, mismatch("number", "Volume.spec.volumes.VolumeSource.secret", "v1.SecretVolumeSource"), "cannot restore struct from: int64"},
		{`{"overhead": {"cpu": "x"}}`, quantity, quantity},
		{`{"overhead": {"cpu": "1e999999999"}}`, "quantity exponent exceeds the limit of 100", "quantity exponent exceeds the limit of 100"},
		{`{"overhead": 1}`, mismatch("number", "PodSpec.spec.overhead", "v1.ResourceList"), "cannot restore map from int64"},
	} {
		text := `{"metadata": {}, "spec": ` + c.spec + `}`
		_, err := TypeOf(podKind).Inspect([]byte(text))
		require.EqualError(t, err, c.inspected, text)
		var content map[string]any
		require.NoError(t, utiljson.Unmarshal([]byte(text), &content))
		if err = TypeOf(podKind).Unlike(content); c.converted != "" {
			require.EqualError(t, err, c.converted, text)
		} else {
			require.NoError(t, err, text)
		}
		unknown, fits := TypeOf(podKind).Trim(content)
		require.Empty(t, unknown, text)
		require.False(t, fits, text)
	}
}

// Trim keeps what the Go type would keep: nulls are removed, except from maps.
func TestTrimEqualsTheGoType(t *testing.T) {
	pod := read(t, `{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {a: null}, creationTimestamp: null}, none: null, spec: {foo: {}, nodeName: null, overhead: {cpu: 1.5},
		containers: [{name: a, Name: b, ports: [{hostPort: null, nope: 1}], livenessProbe: {httpGet: {port: http}}}]}}`)
	unknown, fits := TypeOf(podKind).Trim(pod.Object)
	assert.Equal(t, []string{"none", "spec.containers[0].Name", "spec.containers[0].ports[0].nope", "spec.foo"}, unknown)
	assert.True(t, fits)
	assert.Equal(t, read(t, `{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {a: ""}}, spec: {overhead: {cpu: 1.5},
		containers: [{name: a, ports: [{}], livenessProbe: {httpGet: {port: http}}}]}}`), pod)
}

// For any text, the walks over the content and over the text agree, and no finding
// is duplicated.
func FuzzInspect(f *testing.F) {
	f.Add([]byte(`{"metadata":{"labels":{"a":1}},"spec":{"containers":[{"resources":{"limits":{"cpu":"1"}}}],"":{"":[[]]}}}`))
	f.Add([]byte(`{"spec":{"volumes":[null,{"emptyDir":{"sizeLimit":{}}}],"overhead":{"a":[]}},"status":{"startTime":"x","hostIPs":[{"ip":{}}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var content map[string]any
		if !json.Valid(text) || utiljson.Unmarshal(text, &content) != nil || content == nil {
			return
		}
		typ := TypeOf(podKind)
		findings, err := typ.Inspect(text)
		_ = typ.Unlike(content)
		unknown, fits := typ.Trim(content)
		if len(unknown) > 0 {
			require.True(t, len(findings) > 0 || err != nil)
		}
		if err != nil {
			require.False(t, fits)
		}
		unknown, again := typ.Trim(content)
		require.Empty(t, unknown)
		require.Equal(t, fits, again)
	})
}
