package rest

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// wireWidget is a custom resource that the tests of the readers decode.
type wireWidget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Size  int32             `json:"size,omitempty"`
		Notes string            `json:"notes,omitempty"`
		Extra map[string]string `json:"extra,omitempty"`
	} `json:"spec"`
}

var wireWidgets = ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
	Kind:                 "Widget", Namespaced: true,
}

type protobufMessage interface{ Marshal() ([]byte, error) }

func newWidget(name string) *wireWidget {
	w := &wireWidget{}
	w.Name, w.Namespace, w.UID, w.ResourceVersion = name, "shop", types.UID("uid-of-"+name), "7"
	w.Labels = map[string]string{"app": "shop"}
	w.Spec.Size, w.Spec.Notes = 3, `a "quoted" note, with ] and } in it`
	return w
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

func toProtobuf(t testing.TB, m protobufMessage) []byte {
	t.Helper()
	data, err := m.Marshal()
	require.NoError(t, err)
	return data
}

// protobufEnvelope returns a message in the protobuf envelope of the server.
func protobufEnvelope(t testing.TB, apiVersion, kind string, m protobufMessage) []byte {
	t.Helper()
	return append([]byte("k8s\x00"), toProtobuf(t, &runtime.Unknown{
		TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: toProtobuf(t, m),
	})...)
}

// protobufFrame returns a frame of a watch in protobuf.
func protobufFrame(t testing.TB, typ string, object []byte) []byte {
	t.Helper()
	event := toProtobuf(t, &metav1.WatchEvent{Type: typ, Object: runtime.RawExtension{Raw: object}})
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
}

func jsonFrame(t testing.TB, typ string, object any) string {
	t.Helper()
	return `{"type":"` + typ + `","object":` + toJSON(t, object) + "}\n"
}

func newWidgetMessage() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: newWidget("a").ObjectMeta}
}
