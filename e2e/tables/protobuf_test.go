package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/randfill"

	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// An object in protobuf is decoded to the same content by the table and by its Go type.
func TestProtobufEqualsGoTypes(t *testing.T) {
	forEachKind(t, 50, func(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, with *randfill.Filler) {
		made, err := types.New(kind)
		require.NoError(t, err)
		with.Fill(made)
		sameProtobuf(t, types, kind, made)
	})
}

// Empty and zero fields are present as they are in JSON.
func TestEmptyProtobufEqualsGoTypes(t *testing.T) {
	forEachKind(t, 20, func(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, with *randfill.Filler) {
		made, err := types.New(kind)
		require.NoError(t, err)
		sameProtobuf(t, types, kind, made)
		with.Funcs(
			func(to *string, c randfill.Continue) { *to = []string{"", "a"}[c.Intn(2)] },
			func(to *int32, c randfill.Continue) { *to = int32(c.Intn(2)) - 1 },
			func(to *int64, c randfill.Continue) { *to = int64(c.Intn(2)) - 1 },
			func(to *metav1.Time, c randfill.Continue) { *to = metav1.Time{} },
			func(to *metav1.MicroTime, c randfill.Continue) { *to = metav1.MicroTime{} },
		).Fill(made)
		sameProtobuf(t, types, kind, made)
	})
}

func sameProtobuf(t *testing.T, types *runtime.Scheme, kind schema.GroupVersionKind, made runtime.Object) {
	t.Helper()
	made.GetObjectKind().SetGroupVersionKind(kind)
	var body strings.Builder
	serializer := protobuf.NewSerializer(types, types)
	require.NoError(t, serializer.Encode(made, &body))

	read, _, err := serializer.Decode([]byte(body.String()), nil, nil)
	require.NoError(t, err)
	read.GetObjectKind().SetGroupVersionKind(kind)
	text, err := json.Marshal(read)
	require.NoError(t, err)
	var want map[string]any
	require.NoError(t, utiljson.Unmarshal(text, &want))

	envelope, err := pbobj.Open([]byte(body.String()))
	require.NoError(t, err)
	got, err := kinds.FromProtobuf(kind, envelope.Raw, nil)
	require.NoError(t, err)
	require.Equal(t, want, got)
}
