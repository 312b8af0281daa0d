// Package wiretest encodes objects and watch events in JSON and in protobuf, as an API
// server does. Its functions are for the tests of decoders.
package wiretest

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// Widget is a custom resource. It cannot be encoded in protobuf.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Size  int32             `json:"size,omitempty"`
		Notes string            `json:"notes,omitempty"`
		Extra map[string]string `json:"extra,omitempty"`
	} `json:"spec"`
}

// NewWidget returns a Widget without kind and apiVersion, as an item of a list.
func NewWidget(name string) *Widget {
	w := &Widget{ObjectMeta: metadata(name)}
	w.Spec.Size, w.Spec.Notes = 3, `a "quoted" note, with ] and } in it`
	return w
}

// NewMetadata returns the metadata of NewWidget.
func NewMetadata(name string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metadata(name)}
}

func metadata(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: "shop", UID: types.UID("uid-of-" + name), ResourceVersion: "7",
		Labels: map[string]string{"app": "shop"},
	}
}

// JSON encodes a value.
func JSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// JSONFrame returns an event of a watch.
func JSONFrame(t testing.TB, eventType string, object any) string {
	t.Helper()
	return `{"type":"` + eventType + `","object":` + JSON(t, object) + "}\n"
}

// Message is a value that can be encoded in protobuf.
type Message interface{ Marshal() ([]byte, error) }

// Protobuf encodes a message.
func Protobuf(t testing.TB, m Message) []byte {
	t.Helper()
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ProtobufEnvelope encodes an object or a list in the envelope that has its type.
func ProtobufEnvelope(t testing.TB, apiVersion, kind string, m Message) []byte {
	t.Helper()
	return append([]byte(pbobj.Magic), Protobuf(t, &runtime.Unknown{
		TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: Protobuf(t, m),
	})...)
}

// ProtobufFrame returns an event of a watch, with an object in its envelope.
func ProtobufFrame(t testing.TB, eventType string, object []byte) []byte {
	t.Helper()
	event := Protobuf(t, &metav1.WatchEvent{Type: eventType, Object: runtime.RawExtension{Raw: object}})
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
}
