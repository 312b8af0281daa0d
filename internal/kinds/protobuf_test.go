package kinds

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func kind(version, name string) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(version, name)
}

// field1 encodes field 1 of a message.
func field1(text string) []byte { return encodeField(1, text) }

// encodeField encodes a field of at most 127 bytes.
func encodeField[T ~string | ~[]byte](number byte, content T) []byte {
	return append([]byte{number<<3 | 2, byte(len(content))}, content...)
}

// Known fields are decoded, and unknown fields are skipped. A test in e2e compares all
// types of the table with the Go types.
func TestFromProtobuf(t *testing.T) {
	entry := append(field1("color"), encodeField(2, "blue")...)
	raw := append(encodeField(1, field1("web")), encodeField(2, entry)...)
	raw = append(raw, encodeField(9, "unknown field")...)
	read, err := FromProtobuf(kind("v1", "ConfigMap"), raw, nil)
	require.NoError(t, err)
	text, err := json.Marshal(read)
	require.NoError(t, err)
	require.JSONEq(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"},"data":{"color":"blue"}}`, string(text))
}

func TestInvalidProtobufIsRejected(t *testing.T) {
	for name, c := range map[string]struct {
		kind schema.GroupVersionKind
		raw  []byte
		says string
	}{
		"unknown kind":         {kind("v1", "Widget"), nil, `no kind "Widget" is known in version "v1"`},
		"cut short":            {kind("v1", "ConfigMap"), []byte{1<<3 | 2, 9}, "truncated"},
		"number for a message": {kind("v1", "ConfigMap"), []byte{1 << 3, 9}, "metadata: unexpected number"},
		"number for a map":     {kind("v1", "ConfigMap"), []byte{2 << 3, 9}, "data: map entry is not a message"},
		"text for a number":    {kind("v1", "Pod"), encodeField(2, encodeField(4, "x")), "spec: terminationGracePeriodSeconds: expected a number"},
		"raw that is not JSON": {kind("apps/v1", "ControllerRevision"), encodeField(2, field1("{")), "data: invalid JSON"},
	} {
		_, err := FromProtobuf(c.kind, c.raw, nil)
		require.ErrorContains(t, err, c.says, name)
	}
}

func TestProtobufDepthIsBounded(t *testing.T) {
	typ := builtinType("apiextensions.JSONSchemaProps")
	not := func(content ...byte) []byte { // field 28, whose number takes two bytes
		return append([]byte{28<<3&0x7f | 2 | 0x80, 28 >> 4, byte(len(content))}, content...)
	}
	within := not(not(not()...)...)
	require.NoError(t, messages()[typ].read(map[string]any{}, within, deep(4)))
	require.ErrorContains(t, messages()[typ].read(map[string]any{}, within, deep(3)), "not: not: not: messages nest too deep")
}

func TestInvalidProtobufPaths(t *testing.T) {
	for places, says := range map[[2]string]string{
		{"x", ""}:       `wire=x: strconv.Atoi: parsing "x"`,
		{"1:nonsense"}:  `unknown encoding "nonsense"`,
		{"1", "1!"}:     "duplicate field number",
		{"1", "1.2"}:    "duplicate field number",
		{"2.1", "2"}:    "duplicate field number",
		{"2.1", "2.1!"}: "duplicate field number",
	} {
		text := "type a.A\n"
		for i, place := range places {
			if place != "" {
				text += "\t" + string(rune('a'+i)) + " string wire=" + place + "\n"
			}
		}
		read, err := readTable(text)
		require.NoError(t, err)
		_, err = messagesOf(read)
		require.ErrorContains(t, err, says, "%q", places)
	}
}

// FromProtobuf does not panic on any input, and its result can be encoded in JSON.
func FuzzFromProtobuf(f *testing.F) {
	f.Add("v1", "ConfigMap", append(encodeField(1, field1("web")), encodeField(2, append(field1("a"), encodeField(2, "b")...))...))
	f.Add("v1", "Pod", encodeField(2, encodeField(4, "x")))
	f.Add("v1", "Service", encodeField(2, encodeField(1, []byte{4<<3 | 2, 4, 1 << 3, 1, 2 << 3, 80})))
	f.Add("apps/v1", "ControllerRevision", encodeField(2, field1(`{"a":1}`)))
	f.Add("apiextensions.k8s.io/v1", "CustomResourceDefinition", encodeField(2, encodeField(7, encodeField(4, field1("x")))))
	f.Fuzz(func(t *testing.T, version, kind string, raw []byte) {
		read, err := FromProtobuf(schema.FromAPIVersionAndKind(version, kind), raw, nil)
		if err != nil {
			return
		}
		_, err = json.Marshal(read)
		require.NoError(t, err)
	})
}

func deep(levels int) nesting { return nesting{left: levels} }
