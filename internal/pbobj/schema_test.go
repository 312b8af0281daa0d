package pbobj

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tree is a recursive struct with the tags of generated code.
type tree struct {
	Name     string          `protobuf:"bytes,1,opt,name=name"`
	Children []tree          `protobuf:"bytes,2,rep,name=children"`
	ByName   map[string]tree `protobuf:"bytes,3,rep,name=byName"`
	Count    int64           `protobuf:"varint,4,opt,name=count"`
	Since    metav1.Time     `protobuf:"bytes,5,opt,name=since"`
	NotSent  string          `protobuf:"-"`
	Untagged *tree
}

func wrap(number byte, parts ...[]byte) []byte {
	content := bytes.Join(parts, nil)
	if len(content) > 127 {
		return append([]byte{number<<3 | 2, byte(len(content)) | 0x80, byte(len(content) >> 7)}, content...)
	}
	return append([]byte{number<<3 | 2, byte(len(content))}, content...)
}

// Promise: fields that the generated Unmarshal skips are found. Known parents have a
// name.
func TestUnknownFieldsAreFound(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[tree]())
	name, new := wrap(1, []byte("x")), wrap(9, []byte("new"))
	for want, data := range map[string][]byte{
		"":                                    bytes.Join([][]byte{name, wrap(2, name), wrap(3, name, wrap(2, name)), {0x20, 7}, wrap(5, new)}, nil),
		"field 9":                             bytes.Join([][]byte{name, new, wrap(2, new)}, nil),
		"field 100":                           {0xa0, 0x06, 0x01},
		"children, field 9":                   bytes.Join([][]byte{name, wrap(2, name, new), new}, nil),
		"children.byName, field 9":            wrap(2, wrap(3, name, wrap(2, new))),
		"children.children.children, field 9": wrap(2, wrap(2, wrap(2, new))),
	} {
		got, _, err := schema.Unknown(data, 10, 1<<30)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, malformed := range []string{"\x0a\x7f", "\x0b", "\xb2\x80\x80\x80\x80\x02\x00"} {
		_, _, err := schema.Unknown(append(name, malformed...), 10, 1<<30)
		require.Error(t, err, "Unmarshal may accept the rest")
	}
}

// Parsing a short quantity could take minutes.
func TestExpensiveQuantitiesAreRejected(t *testing.T) {
	type amounts struct {
		One   resource.Quantity            `protobuf:"bytes,1,opt,name=one"`
		To    *resource.Quantity           `protobuf:"bytes,2,opt,name=to"`
		List  []resource.QuantityValue     `protobuf:"bytes,3,rep,name=list"`
		ByKey map[string]resource.Quantity `protobuf:"bytes,4,rep,name=byKey"`
		Inner *struct {
			ByKey map[string]*resource.Quantity `protobuf:"bytes,1,rep,name=byKey"`
		} `protobuf:"bytes,5,opt,name=inner"`
	}
	schema := NewSchema(reflect.TypeFor[amounts]())
	for _, text := range []string{"100m", "1e-99999999", strings.Repeat("9", 101)} {
		amount, fine := wrap(1, []byte(text)), wrap(1, []byte("1"))
		key := wrap(1, []byte("k"))
		for what, data := range map[string][]byte{
			"plain": wrap(1, amount), "pointer": wrap(2, amount), "list": append(wrap(3, fine), wrap(3, amount)...),
			"map": wrap(4, key, wrap(2, amount)), "inner map": wrap(5, wrap(1, key, wrap(2, amount))),
			"map entry with two values": wrap(4, wrap(2, amount), wrap(2, fine)),
			"quantity with two texts":   wrap(1, amount, fine), "duplicate field": append(wrap(1, amount), wrap(1, fine)...),
		} {
			_, _, err := schema.Unknown(data, 10, 1<<30)
			require.Equal(t, text == "100m", err == nil, "%s %s: %v", what, text, err)
		}
	}
	got, _, err := schema.Unknown(wrap(1, wrap(2, []byte("new"))), 10, 1<<30)
	require.NoError(t, err)
	require.Equal(t, "one, field 2", got)
}

// Accepted messages are unmarshaled at once: a rejected exponent takes minutes.
func FuzzUnknown(f *testing.F) {
	schema := &Schema{root: (&schemaCompiler{}).message(reflect.TypeFor[resource.Quantity]())}
	for _, text := range []string{"100m", "1e-99999999", "1e+100"} {
		f.Add(wrap(1, []byte(text)))
		f.Add(wrap(1, []byte(text), wrap(1, []byte("1"))))
	}
	f.Add([]byte("\x0b\x0c\x0a\x0b1e-99999999"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, _, err := schema.Unknown(data, 10, 1<<30); err != nil {
			return
		}
		begun := time.Now()
		_ = new(resource.Quantity).Unmarshal(data)
		require.Less(t, time.Since(begun), 30*time.Second)
	})
}

func TestRealObjectsHaveNoUnknownFields(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[metav1.PartialObjectMetadata]())
	whole := marshal(t, widget(3))
	got, _, err := schema.Unknown(whole, 10, 1<<30)
	require.NoError(t, err)
	require.Empty(t, got)
	meta := marshal(t, &widget(1).ObjectMeta)
	got, _, err = schema.Unknown(wrap(1, meta, wrap(14, []byte("x")), wrap(15, nil)), 10, 1<<30)
	require.NoError(t, err)
	require.Equal(t, "metadata, field 15", got)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _, _ = schema.Unknown(whole, 10, 1<<30) }))
}

// The input determines the recursion depth of a recursive type.
func TestDepthIsBounded(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[tree]())
	data := wrap(1, []byte("x"))
	for range 30 {
		data = wrap(2, data)
	}
	_, _, err := schema.Unknown(data, 31, 1<<30)
	require.NoError(t, err)
	_, _, err = schema.Unknown(data, 30, 1<<30)
	require.ErrorContains(t, err, "nest too deep")
}

func TestTypesWithoutTagsHaveNoSchema(t *testing.T) {
	require.Nil(t, NewSchema(reflect.TypeFor[plain]()))
	require.Nil(t, NewSchema(reflect.TypeFor[metav1.Time]()))
}

// Promise: the fast paths find the same fields as the reference, which uses only
// Next.
func TestFastPathsEqualTheReference(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[tree]())
	name, long := wrap(1, []byte("x")), wrap(1, bytes.Repeat([]byte("y"), 200))
	whole := bytes.Join([][]byte{
		name, long, wrap(2, name, long, wrap(9, name)), wrap(3, name, wrap(2, long)),
		{0x20, 7}, {0x20, 0x87, 0x01}, {0xa0, 0x06, 0x01}, {0xa2, 0x06, 0x01, 'z'}, wrap(5, name),
	}, nil)
	random := rand.New(rand.NewPCG(1, 2))
	wellFormed := 0
	for range 50_000 {
		data := bytes.Clone(whole[:len(whole)-random.IntN(len(whole))])
		for range random.IntN(3) {
			data[random.IntN(len(data))] = byte(random.Uint32())
		}
		want, wantErr := schema.root.referenceUnknown(data, 4)
		got, _, err := schema.Unknown(data, 4, 1<<30)
		require.Equal(t, wantErr == nil, err == nil, "%x: %v, want %v", data, err, wantErr)
		require.Equal(t, want, got, "%x", data)
		if err == nil {
			wellFormed++
		}
	}
	require.Greater(t, wellFormed, 500)
}

func (m *message) referenceUnknown(data []byte, maxDepth int) (path string, err error) {
	if maxDepth <= 0 {
		return "", errors.New("too deep")
	}
	for len(data) > 0 {
		h, content, n, err := Next(data)
		if err != nil {
			return "", err
		}
		data = data[n:]
		known := h.Number < len(m.fields) && m.fields[h.Number].known
		if !known && path == "" {
			path = "field " + strconv.Itoa(h.Number)
		}
		if !known || h.Wire != Bytes || m.fields[h.Number].inner == nil {
			continue
		}
		inner, err := m.fields[h.Number].inner.referenceUnknown(content, maxDepth-1)
		if err != nil {
			return "", err
		}
		if inner != "" && path == "" {
			name := m.fields[h.Number].name
			path = name + separator(name, inner) + inner
		}
	}
	return path, nil
}

// Unknown fields in status or metadata are reported separately.
func TestUnknownStatusFieldsAreReportedSeparately(t *testing.T) {
	type part struct {
		Known string `protobuf:"bytes,1,opt,name=known"`
	}
	type object struct {
		Metadata part `protobuf:"bytes,1,opt,name=metadata"`
		Spec     part `protobuf:"bytes,2,opt,name=spec"`
		Status   part `protobuf:"bytes,3,opt,name=status"`
	}
	schema := NewSchema(reflect.TypeFor[object]())
	for _, c := range []struct {
		data          []byte
		first, status string
	}{
		{wrap(2, wrap(9, []byte("new"))), "spec, field 9", ""},
		{append(wrap(2, wrap(9, []byte("new"))), wrap(3, wrap(7, []byte("new")))...), "spec, field 9", "status, field 7"},
		{append(wrap(3, wrap(7, nil)), wrap(1, wrap(8, nil))...), "status, field 7", "status, field 7"},
		{wrap(5, wrap(3, wrap(7, nil))), "field 5", ""},
	} {
		first, status, err := schema.Unknown(c.data, 10, 1<<30)
		require.NoError(t, err)
		require.Equal(t, c.first, first)
		require.Equal(t, c.status, status)
	}
}
