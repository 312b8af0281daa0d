package pbobj

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tree has what generated code leaves on a struct that contains itself.
type tree struct {
	Name     string          `protobuf:"bytes,1,opt,name=name"`
	Children []tree          `protobuf:"bytes,2,rep,name=children"`
	ByName   map[string]tree `protobuf:"bytes,3,rep,name=byName"`
	Count    int64           `protobuf:"varint,4,opt,name=count"`
	Since    metav1.Time     `protobuf:"bytes,5,opt,name=since"`
	NotSent  string          `protobuf:"-"`
	Untagged *tree
}

func within(number byte, parts ...[]byte) []byte {
	content := bytes.Join(parts, nil)
	if len(content) > 127 {
		return append([]byte{number<<3 | 2, byte(len(content)) | 0x80, byte(len(content) >> 7)}, content...)
	}
	return append([]byte{number<<3 | 2, byte(len(content))}, content...)
}

// Blueprint §5 rest, "No silent loss": what generated Unmarshal passes over is
// found, and named as far as it has a name.
func TestUnknownFieldsAreFound(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[tree]())
	require.True(t, schema.Recursive())
	name, new := within(1, []byte("x")), within(9, []byte("new"))
	for want, data := range map[string][]byte{
		"":                                    bytes.Join([][]byte{name, within(2, name), within(3, name, within(2, name)), {0x20, 7}, within(5, new)}, nil),
		"field 9":                             bytes.Join([][]byte{name, new, within(2, new)}, nil),
		"field 100":                           {0xa0, 0x06, 0x01},
		"children, field 9":                   bytes.Join([][]byte{name, within(2, name, new), new}, nil),
		"children.byName, field 9":            within(2, within(3, name, within(2, new))),
		"children.children.children, field 9": within(2, within(2, within(2, new))),
	} {
		got, err := schema.Unknown(data, 10)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := schema.Unknown(append(name, 0x0a, 0x7f), 10)
	require.NoError(t, err, "that is for Unmarshal to say")
	require.Empty(t, got)
}

func TestRealObjectsHaveNoUnknownFields(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[metav1.PartialObjectMetadata]())
	require.False(t, schema.Recursive())
	whole := marshal(t, widget(3))
	got, err := schema.Unknown(whole, 10)
	require.NoError(t, err)
	require.Empty(t, got)
	meta := marshal(t, &widget(1).ObjectMeta)
	got, err = schema.Unknown(within(1, meta, within(14, []byte("x")), within(15, nil)), 10)
	require.NoError(t, err)
	require.Equal(t, "metadata, field 15", got)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = schema.Unknown(whole, 10) }))
}

// A type that contains itself would take a stack as deep as the bytes say.
func TestDepthIsBounded(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[tree]())
	data := within(1, []byte("x"))
	for range 30 {
		data = within(2, data)
	}
	_, err := schema.Unknown(data, 31)
	require.NoError(t, err)
	_, err = schema.Unknown(data, 30)
	require.ErrorContains(t, err, "nest too deep")
}

func TestTypesThatDoNotTell(t *testing.T) {
	require.Nil(t, NewSchema(reflect.TypeFor[plain]()))
	require.Nil(t, NewSchema(reflect.TypeFor[metav1.Time]()))
}
