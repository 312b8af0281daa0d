package pbobj

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func widget(managed int) *metav1.PartialObjectMetadata {
	w := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "a-widget", Namespace: "a-namespace", UID: "a-uid", ResourceVersion: "17",
		CreationTimestamp: metav1.Time{Time: time.Unix(1_700_000_000, 0)},
		Labels:            map[string]string{"app": "shop"},
		Annotations:       map[string]string{"k8s.io/initial-events-end": "true", "note": strings.Repeat("x", 200)},
		OwnerReferences:   []metav1.OwnerReference{{Kind: "Shop", Name: "one"}},
		Finalizers:        []string{"keep.me"},
	}}
	for i := range managed {
		w.ManagedFields = append(w.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: fmt.Sprint("manager-", i), Operation: metav1.ManagedFieldsOperationApply,
			FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:app":{}}}}`),
		})
	}
	return w
}

func marshal(t testing.TB, m interface{ Marshal() ([]byte, error) }) []byte {
	t.Helper()
	data, err := m.Marshal()
	require.NoError(t, err)
	return data
}

func TestParseHeader(t *testing.T) {
	for _, c := range []struct {
		wire string
		want Header
		n    int
	}{
		{"\x0a\x05", Header{Number: 1, Wire: Bytes, Length: 5}, 2},
		{"\x8a\x01\xac\x02rest", Header{Number: 17, Wire: Bytes, Length: 300}, 4},
		{"\x38\x96\x01", Header{Number: 7, Wire: Varint, Value: 150}, 3},
		{"\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", Header{Number: 7, Wire: Varint, Value: math.MaxUint64}, 11},
		{"\x09", Header{Number: 1, Wire: Fixed64, Length: 8}, 1},
		{"\x0d", Header{Number: 1, Wire: Fixed32, Length: 4}, 1},
	} {
		h, n, err := ParseHeader([]byte(c.wire))
		require.NoError(t, err, "%q", c.wire)
		require.Equal(t, c.want, h, "%q", c.wire)
		require.Equal(t, c.n, n, "%q", c.wire)
		for cut := range n {
			_, _, err := ParseHeader([]byte(c.wire)[:cut])
			require.ErrorIs(t, err, ErrShort, "%q cut at %d", c.wire, cut)
		}
	}
	for wire, why := range map[string]string{
		"\x02\x00": "number 0",
		"\x0b":     "unknown wire type 3",
		"\x0c":     "unknown wire type 4",
		"\x0f\x00": "unknown wire type 7",
		"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": "invalid length 18446744073709551615",
		"\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02": "exceeds 64 bits",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff":     "exceeds 64 bits",
		"\xf8\xff\xff\xff\xff\x01\x00":                 "number",
	} {
		_, _, err := ParseHeader([]byte(wire))
		require.ErrorContains(t, err, why, "%q", wire)
		require.NotErrorIs(t, err, ErrShort, "%q", wire)
	}
}

func TestLengthsBeyondTheDataAreErrors(t *testing.T) {
	_, _, _, err := Next([]byte("\x0a\x05four"))
	require.ErrorIs(t, err, ErrShort)
	require.ErrorContains(t, err, "field 1 has 5 bytes, 4 are left")
	_, _, _, err = Next([]byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
	require.ErrorContains(t, err, "field 1 has 9223372036854775807 bytes")
}

func TestOpen(t *testing.T) {
	raw := marshal(t, widget(1))
	sealed := append([]byte(Magic), marshal(t, &runtime.Unknown{
		TypeMeta: runtime.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"},
		Raw:      raw, ContentType: "application/vnd.kubernetes.protobuf",
	})...)
	e, err := Open(sealed)
	require.NoError(t, err)
	require.Equal(t, "example.com/v1", string(e.APIVersion))
	require.Equal(t, "Widget", string(e.Kind))
	require.Equal(t, raw, e.Raw)

	for cut := range len(sealed) {
		short, err := Open(sealed[:cut])
		if err == nil {
			// A cut between two fields cannot be detected.
			require.True(t, len(short.Raw) == 0 || bytes.Equal(short.Raw, raw), "cut at %d", cut)
		}
	}
	_, err = Open([]byte(`{"kind":"Widget"}`))
	require.Error(t, err)
	_, err = Open([]byte(Magic + "\x0a\x02\x0a\x09"))
	require.ErrorContains(t, err, "protobuf envelope, TypeMeta")
	_, err = Open([]byte(Magic))
	require.ErrorContains(t, err, "ends after the magic number")
	for _, wrong := range []string{"\x08\x01", "\x10\x01", "\x20\x01", "\x0a\x02\x08\x01"} { // varints instead of bytes
		_, err = Open([]byte(Magic + wrong))
		require.ErrorContains(t, err, "is not length-delimited")
	}
}

func TestIdentify(t *testing.T) {
	whole := marshal(t, widget(1))
	require.Equal(t, Identity{"a-namespace", "a-widget", "a-uid", "17"}, Identify(whole))
	require.Equal(t, "true", Annotation(whole, "k8s.io/initial-events-end"))
	require.Empty(t, Annotation(whole, "k8s.io"))
	broken := append(whole[:len(whole):len(whole)], 0x12, 0x7f)
	require.Equal(t, "a-widget", Identify(broken).Name)
	for cut := range len(whole) {
		Identify(whole[:cut]) // does not panic
	}
}

// The result equals an object encoded without managedFields.
func TestManagedFieldsAreCut(t *testing.T) {
	var cutter Cutter
	for managed := range 5 {
		data := append(marshal(t, widget(managed)), marshal(t, &metav1.PartialObjectMetadata{})[:0]...)
		cut := cutter.CutManagedFields(data)
		require.Equal(t, marshal(t, widget(0)), cut, "%d entries", managed)
	}
}

func TestManagedFieldsAreCutAtAnyPosition(t *testing.T) {
	part := func(m metav1.ObjectMeta) []byte { return marshal(t, &m) }
	mf := func(name string) []byte {
		entry := marshal(t, &metav1.ManagedFieldsEntry{Manager: name})
		return append([]byte{0x8a, 0x01, byte(len(entry))}, entry...)
	}
	name, labels := part(metav1.ObjectMeta{Name: "n"}), part(metav1.ObjectMeta{Labels: map[string]string{"a": "b"}})
	field := func(number byte, content []byte) []byte {
		return append([]byte{number<<3 | 2, byte(len(content))}, content...)
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	var cutter Cutter
	for what, c := range map[string]struct{ object, want []byte }{
		"among other fields": {
			join(field(2, []byte("before")), field(1, join(mf("1"), name, mf("2"), labels, mf("3"))), field(3, []byte("after"))),
			join(field(2, []byte("before")), field(1, join(name, labels)), field(3, []byte("after"))),
		},
		"no other field":                {field(1, mf("1")), field(1, nil)},
		"in another field":              {field(2, mf("1")), field(2, mf("1"))},
		"empty":                         {nil, nil},
		"metadata of another wire type": {[]byte{0x08, 0x01}, []byte{0x08, 0x01}},
		"broken metadata":               {field(1, join(mf("1"), []byte{0x0a, 0x7f})), field(1, join(mf("1"), []byte{0x0a, 0x7f}))},
		"broken object":                 {[]byte{0x0a, 0x7f}, []byte{0x0a, 0x7f}},
	} {
		require.Equal(t, c.want, cutter.CutManagedFields(bytes.Clone(c.object)), what)
	}
}

func TestCutManagedFieldsDoesNotAllocate(t *testing.T) {
	whole := marshal(t, widget(3))
	data := bytes.Clone(whole)
	var cutter Cutter
	require.Zero(t, testing.AllocsPerRun(100, func() {
		copy(data, whole)
		cutter.CutManagedFields(data)
	}))
}

// For any input, CutManagedFields removes managedFields and nothing else.
func FuzzCutManagedFields(f *testing.F) {
	f.Add(marshal(f, widget(0)))
	f.Add(marshal(f, widget(1)))
	f.Add(marshal(f, widget(3)))
	f.Add([]byte("\x0a\x7f\x8a\x01"))
	f.Fuzz(func(t *testing.T, object []byte) {
		var cutter Cutter
		cut := cutter.CutManagedFields(bytes.Clone(object))
		var want, got metav1.PartialObjectMetadata
		if want.Unmarshal(object) != nil {
			return
		}
		require.NoError(t, got.Unmarshal(cut))
		want.ManagedFields, got.ManagedFields = nil, nil
		require.Equal(t, want, got)
		Identify(object)
		_, _ = Open(object)
	})
}
