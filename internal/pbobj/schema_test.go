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

// Promise: what generated Unmarshal passes over is
// found, and named as far as it has a name.
func TestUnknownFieldsAreFound(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[tree]())
	require.True(t, schema.Hostile())
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
	for _, senseless := range []string{"\x0a\x7f", "\x0b", "\xb2\x80\x80\x80\x80\x02\x00"} {
		_, err := schema.Unknown(append(name, senseless...), 10)
		require.Error(t, err, "Unmarshal may see sense in the rest")
	}
}

// Promise: a few bytes must not cost a core.
func TestQuantitiesAreChecked(t *testing.T) {
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
	require.True(t, schema.Hostile())
	for _, text := range []string{"100m", "1e-99999999", strings.Repeat("9", 101)} {
		amount, fine := within(1, []byte(text)), within(1, []byte("1"))
		key := within(1, []byte("k"))
		for what, data := range map[string][]byte{
			"plain": within(1, amount), "pointer": within(2, amount), "list": append(within(3, fine), within(3, amount)...),
			"map": within(4, key, within(2, amount)), "inner map": within(5, within(1, key, within(2, amount))),
			"a map's entry with two values": within(4, within(2, amount), within(2, fine)),
			"a quantity with two texts":     within(1, amount, fine), "one field twice": append(within(1, amount), within(1, fine)...),
		} {
			_, err := schema.Unknown(data, 10)
			require.Equal(t, text == "100m", err == nil, "%s %s: %v", what, text, err)
		}
	}
	got, err := schema.Unknown(within(1, within(2, []byte("new"))), 10)
	require.NoError(t, err)
	require.Equal(t, "one, field 2", got)
}

// FuzzUnknown: whatever passes is unmarshaled in no time.
func FuzzUnknown(f *testing.F) {
	schema := &Schema{root: (&schemaCompiler{}).message(reflect.TypeFor[resource.Quantity]())}
	for _, text := range []string{"100m", "1e-99999999", "1e+100"} {
		f.Add(within(1, []byte(text)))
		f.Add(within(1, []byte(text), within(1, []byte("1"))))
	}
	f.Add([]byte("\x0b\x0c\x0a\x0b1e-99999999"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := schema.Unknown(data, 10); err != nil {
			return
		}
		begun := time.Now()
		_ = new(resource.Quantity).Unmarshal(data)
		require.Less(t, time.Since(begun), time.Second)
	})
}

func TestRealObjectsHaveNoUnknownFields(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[metav1.PartialObjectMetadata]())
	require.False(t, schema.Hostile())
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

// Promise: how a field is read makes no difference to what is found. The twin
// has Next alone.
func TestTheShortWaysReadWhatNextReads(t *testing.T) {
	schema := NewSchema(reflect.TypeFor[tree]())
	name, long := within(1, []byte("x")), within(1, bytes.Repeat([]byte("y"), 200))
	whole := bytes.Join([][]byte{
		name, long, within(2, name, long, within(9, name)), within(3, name, within(2, long)),
		{0x20, 7}, {0x20, 0x87, 0x01}, {0xa0, 0x06, 0x01}, {0xa2, 0x06, 0x01, 'z'}, within(5, name),
	}, nil)
	random := rand.New(rand.NewPCG(1, 2))
	wellFormed := 0
	for range 50_000 {
		data := bytes.Clone(whole[:len(whole)-random.IntN(len(whole))])
		for range random.IntN(3) {
			data[random.IntN(len(data))] = byte(random.Uint32())
		}
		want, wantErr := schema.root.twin(data, 4)
		got, err := schema.Unknown(data, 4)
		require.Equal(t, wantErr == nil, err == nil, "%x: %v, want %v", data, err, wantErr)
		require.Equal(t, want, got, "%x", data)
		if err == nil {
			wellFormed++
		}
	}
	require.Greater(t, wellFormed, 500)
}

func (m *message) twin(data []byte, maxDepth int) (path string, err error) {
	if maxDepth <= 0 {
		return "", errors.New("too deep")
	}
	for len(data) > 0 {
		h, content, n, err := Next(data)
		if err != nil {
			return "", err
		}
		data = data[n:]
		there := h.Number < len(m.fields) && m.fields[h.Number].there
		if !there && path == "" {
			path = "field " + strconv.Itoa(h.Number)
		}
		if !there || h.Wire != Bytes || m.fields[h.Number].inner == nil {
			continue
		}
		inner, err := m.fields[h.Number].inner.twin(content, maxDepth-1)
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
