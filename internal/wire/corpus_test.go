package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// corpus returns the objects under testdata, as a server encodes them.
func corpus(t testing.TB, extension string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/objects/*" + extension)
	require.NoError(t, err)
	require.Greater(t, len(names), 20)
	objects := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		objects[strings.TrimSuffix(filepath.Base(name), extension)] = bytes.TrimSpace(data)
	}
	return objects
}

// Promise: unstructured content equals the result of apimachinery's decoder, in an
// object, a list and a watch.
func TestEveryReaderDecodesTheCorpusAsApimachinery(t *testing.T) {
	c := codecOfAnyKind[unstructured.Unstructured](t, Options{KeepManagedFields: true})
	var list, frames []byte
	var want []any
	for name, data := range corpus(t, ".json") {
		u := new(unstructured.Unstructured)
		require.NoError(t, u.UnmarshalJSON(data), name)
		want = append(want, u)
		got, err := c.DecodeObject(JSONType, data)
		require.NoError(t, err, name)
		require.Equal(t, u, got, name)
		list = append(append(list, ','), data...)
		frames = append(append(append(frames, `{"type":"ADDED","object":`...), data...), "}\n"...)
	}
	list[0] = '['
	body := []byte(listWithItems(string(list) + "]"))
	for _, r := range deliveries(body) {
		items, lost, _, err := readList(t, c, JSONType, r)
		require.NoError(t, err)
		require.Empty(t, lost)
		require.Equal(t, want, items)
	}
	for _, r := range deliveries(frames) {
		events, lost, err := readWatch(t, c, JSONType, r)
		require.NoError(t, err)
		require.Empty(t, lost)
		require.Len(t, events, len(want))
		for i := range events {
			require.Equal(t, want[i], events[i].Object)
			require.Equal(t, want[i].(*unstructured.Unstructured).GetResourceVersion(), events[i].ResourceVersion)
		}
	}
}

// The metadata of an object is the same in both encodings, with managedFields
// and, in a list, without.
func TestMetadataOfTheCorpusIsEqualInBothEncodings(t *testing.T) {
	c := codecOfAnyKind[metav1.PartialObjectMetadata](t, Options{})
	inJSON := corpus(t, ".json")
	for name, data := range corpus(t, ".pb") {
		want, err := c.DecodeObject(JSONType, inJSON[name])
		require.NoError(t, err, name)
		got, err := c.DecodeObject(ProtobufType, data)
		require.NoError(t, err, name)
		require.True(t, sameMeta(want, got), "%s:\n%v\n%v", name, want, got)

		frame := wiretest.ProtobufFrame(t, "MODIFIED", data)
		lean := want.(*metav1.PartialObjectMetadata)
		lean.ManagedFields = nil
		events, lost, err := readWatch(t, c, protobufWatchType, iotest.HalfReader(bytes.NewReader(append(frame, frame...))))
		require.NoError(t, err, name)
		require.Empty(t, lost)
		require.Len(t, events, 2)
		require.True(t, sameMeta(lean, events[0].Object), name)
		require.True(t, sameMeta(lean, events[1].Object), name)
	}
}

// sameMeta compares the metadata of both encodings. It ignores time zones and the
// difference between empty and absent.
func sameMeta(a, b any) bool {
	one, err := a.(*metav1.PartialObjectMetadata).Marshal()
	other, err2 := b.(*metav1.PartialObjectMetadata).Marshal()
	return err == nil && err2 == nil && bytes.Equal(one, other) &&
		a.(*metav1.PartialObjectMetadata).TypeMeta == b.(*metav1.PartialObjectMetadata).TypeMeta
}
