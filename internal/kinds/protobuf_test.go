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

// field1 is where most small messages have their only field.
func field1(text string) []byte { return wired(1, text) }

// wired is a field of bytes, fewer than 128.
func wired[T ~string | ~[]byte](number byte, content T) []byte {
	return append([]byte{number<<3 | 2, byte(len(content))}, content...)
}

// The whole table is held against the Go types in e2e.
func TestProtobufOfAnObject(t *testing.T) {
	entry := append(field1("color"), wired(2, "blue")...)
	raw := append(wired(1, field1("web")), wired(2, entry)...)
	raw = append(raw, wired(9, "nobody knows")...)
	read, err := FromProtobuf(kind("v1", "ConfigMap"), raw)
	require.NoError(t, err)
	text, err := json.Marshal(read)
	require.NoError(t, err)
	require.JSONEq(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"},"data":{"color":"blue"}}`, string(text))
}

func TestProtobufThatIsNoneIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		kind schema.GroupVersionKind
		raw  []byte
		says string
	}{
		"a kind of nobody's":   {kind("v1", "Unheard"), nil, `no kind "Unheard" is known in version "v1"`},
		"cut short":            {kind("v1", "ConfigMap"), []byte{1<<3 | 2, 9}, "cut short"},
		"a number for a part":  {kind("v1", "ConfigMap"), []byte{1 << 3, 9}, "metadata: it is a number, and should not be"},
		"a number for a map":   {kind("v1", "ConfigMap"), []byte{2 << 3, 9}, "data: an entry of a map is no message"},
		"text for a number":    {kind("v1", "Pod"), wired(2, wired(4, "x")), "spec: terminationGracePeriodSeconds: it is no number"},
		"raw that is not JSON": {kind("apps/v1", "ControllerRevision"), wired(2, field1("{")), "data: what should be JSON is not"},
	} {
		_, err := FromProtobuf(c.kind, c.raw)
		require.ErrorContains(t, err, c.says, name)
	}
}

func TestProtobufHasABoundOfDepth(t *testing.T) {
	typ := builtinType("apiextensions.JSONSchemaProps")
	not := func(content ...byte) []byte { // field 28, whose number takes two bytes
		return append([]byte{28<<3&0x7f | 2 | 0x80, 28 >> 4, byte(len(content))}, content...)
	}
	within := not(not(not()...)...)
	require.NoError(t, messages()[typ].read(map[string]any{}, within, 4))
	require.ErrorContains(t, messages()[typ].read(map[string]any{}, within, 3), "not: not: not: messages lie too deep")
}

func TestPlacesOnTheWireThatAreNone(t *testing.T) {
	for places, says := range map[[2]string]string{
		{"x", ""}:       `wire=x: strconv.Atoi: parsing "x"`,
		{"1:nonsense"}:  `unknown form "nonsense"`,
		{"1", "1!"}:     "the number is taken",
		{"1", "1.2"}:    "the number is taken",
		{"2.1", "2"}:    "the number is taken",
		{"2.1", "2.1!"}: "the number is taken",
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

// No bytes make it panic, and what it reads is JSON.
func FuzzFromProtobuf(f *testing.F) {
	f.Add("v1", "ConfigMap", append(wired(1, field1("web")), wired(2, append(field1("a"), wired(2, "b")...))...))
	f.Add("v1", "Pod", wired(2, wired(4, "x")))
	f.Add("v1", "Service", wired(2, wired(1, []byte{4<<3 | 2, 4, 1 << 3, 1, 2 << 3, 80})))
	f.Add("apps/v1", "ControllerRevision", wired(2, field1(`{"a":1}`)))
	f.Add("apiextensions.k8s.io/v1", "CustomResourceDefinition", wired(2, wired(7, wired(4, field1("x")))))
	f.Fuzz(func(t *testing.T, version, kind string, raw []byte) {
		read, err := FromProtobuf(schema.FromAPIVersionAndKind(version, kind), raw)
		if err != nil {
			return
		}
		_, err = json.Marshal(read)
		require.NoError(t, err)
	})
}
