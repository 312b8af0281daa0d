package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
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

var wireWidgets = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

func codecFor[T any](t testing.TB, o Options) *Codec {
	t.Helper()
	c, err := NewCodec(reflect.TypeFor[T](), wireWidgets, o, nil)
	require.NoError(t, err)
	return c
}

// codecOfAnyKind returns a codec without an expected kind.
func codecOfAnyKind[T any](t testing.TB, o Options) *Codec {
	t.Helper()
	info := wireWidgets
	info.Kind = ""
	c, err := NewCodec(reflect.TypeFor[T](), info, o, nil)
	require.NoError(t, err)
	return c
}

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

type protobufMessage interface{ Marshal() ([]byte, error) }

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

// readList reads a list to its end. It returns the items that could not be decoded
// separately; err is nil after io.EOF.
func readList(t testing.TB, c *Codec, contentType string, body io.Reader) (items []any, lost []*ItemError, meta ListMeta, err error) {
	t.Helper()
	l, err := c.ListReader(contentType, body)
	if err != nil {
		return nil, nil, ListMeta{}, err
	}
	defer l.Close()
	for {
		item, err := l.Next()
		var one *ItemError
		switch {
		case errors.As(err, &one):
			lost = append(lost, one)
		case err == io.EOF:
			_, again := l.Next()
			require.Equal(t, io.EOF, again, "the end of a list is permanent")
			return items, lost, l.Meta(), nil
		case err != nil:
			_, again := l.Next()
			require.Equal(t, err, again, "a final error is permanent")
			return items, lost, l.Meta(), err
		default:
			items = append(items, item)
		}
	}
}

// readWatch is like readList, for a watch.
func readWatch(t testing.TB, c *Codec, contentType string, body io.Reader) (events []Event, lost []*ItemError, err error) {
	t.Helper()
	w, err := c.WatchReader(contentType, body)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	for {
		event, err := w.Next()
		var one *ItemError
		switch {
		case errors.As(err, &one):
			lost = append(lost, one)
		case err == io.EOF:
			return events, lost, nil
		case err != nil:
			_, again := w.Next()
			require.Equal(t, err, again, "a final error is permanent")
			return events, lost, err
		default:
			events = append(events, event)
		}
	}
}

func TestEveryReaderDecodesObjects(t *testing.T) {
	c := codecFor[wireWidget](t, Options{})
	body := `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[` + toJSON(t, newWidget("a")) + "," + toJSON(t, newWidget("b")) + "]}"
	items, lost, meta, err := readList(t, c, JSONType, bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []any{newWidget("a"), newWidget("b")}, items)
	require.Equal(t, "9", meta.ResourceVersion)
	events, lost, err := readWatch(t, c, JSONType, bytes.NewReader([]byte(jsonFrame(t, "ADDED", newWidget("a"))+jsonFrame(t, "MODIFIED", newWidget("b")))))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []Event{{Type: watch.Added, Object: newWidget("a"), ResourceVersion: "7"}, {Type: watch.Modified, Object: newWidget("b"), ResourceVersion: "7"}}, events)
	p := codecFor[metav1.PartialObjectMetadata](t, Options{ShareStrings: ShareAlways})
	require.NotNil(t, p.protobuf)
	pom := metav1.PartialObjectMetadata{ObjectMeta: newWidget("a").ObjectMeta}
	items, lost, meta, err = readList(t, p, ProtobufType, bytes.NewReader(protobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadataList", &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "8"}, Items: []metav1.PartialObjectMetadata{pom, pom}})))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []any{&pom, &pom}, items)
	require.Equal(t, "8", meta.ResourceVersion)
	events, lost, err = readWatch(t, p, ProtobufType+";stream=watch", bytes.NewReader(protobufFrame(t, "ADDED", protobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadata", &pom))))
	require.NoError(t, err)
	require.Empty(t, lost)
	want := pom
	want.Kind, want.APIVersion = "PartialObjectMetadata", "meta.k8s.io/v1"
	require.Equal(t, []Event{{Type: watch.Added, Object: &want, ResourceVersion: "7"}}, events)
	o, err := c.DecodeObject(JSONType, []byte(toJSON(t, newWidget("a"))))
	require.NoError(t, err)
	require.Equal(t, newWidget("a"), o)
	o, err = p.DecodeObject(ProtobufType, protobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadata", &pom))
	require.NoError(t, err)
	require.Equal(t, &want, o)
}

// ownProtobuf has its own Unmarshal. An annotation of the object makes it fail, and
// so do bytes that are no protobuf.
type ownProtobuf struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
}

func (o *ownProtobuf) Unmarshal(data []byte) error {
	var p metav1.PartialObjectMetadata
	if err := p.Unmarshal(data); err != nil {
		return err
	}
	switch p.Annotations["unmarshal"] {
	case "panics":
		panic("the test makes it panic")
	case "fails":
		return errors.New("the test makes Unmarshal fail")
	}
	o.ObjectMeta = p.ObjectMeta
	return nil
}

// message returns the object with the generated Marshal of apimachinery.
func (o *ownProtobuf) message() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: o.ObjectMeta}
}

// sameMemory reports whether two strings share memory.
func sameMemory(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

func onlyKey(m map[string]string) string {
	for key := range m {
		return key
	}
	return ""
}
