package rest

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

// wireWidget is a user's own resource, as the readers' tests decode it.
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

func codecFor[T any](t testing.TB, o DecodeOptions) *codec {
	t.Helper()
	c, err := newCodec(reflect.TypeFor[T](), wireWidgets, o, nil)
	require.NoError(t, err)
	return c
}

// codecOfAnyKind does not know what it decodes.
func codecOfAnyKind[T any](t testing.TB, o DecodeOptions) *codec {
	t.Helper()
	info := wireWidgets
	info.Kind = ""
	c, err := newCodec(reflect.TypeFor[T](), info, o, nil)
	require.NoError(t, err)
	return c
}

func aWidget(name string) *wireWidget {
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

// sealed is a message in the server's envelope.
func sealed(t testing.TB, apiVersion, kind string, m protobufMessage) []byte {
	t.Helper()
	return append([]byte("k8s\x00"), toProtobuf(t, &runtime.Unknown{
		TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: toProtobuf(t, m),
	})...)
}

// protobufFrame is a frame of a watch.
func protobufFrame(t testing.TB, typ string, object []byte) []byte {
	t.Helper()
	event := toProtobuf(t, &metav1.WatchEvent{Type: typ, Object: runtime.RawExtension{Raw: object}})
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
}

func jsonFrame(t testing.TB, typ string, object any) string {
	t.Helper()
	return `{"type":"` + typ + `","object":` + toJSON(t, object) + "}\n"
}

// readList reads a list to its end. Items that could not be decoded are
// returned apart; err is nil after io.EOF.
func readList(t testing.TB, c *codec, contentType string, body io.Reader) (items []any, lost []*ItemError, meta listMeta, err error) {
	t.Helper()
	l, err := c.listReader(contentType, body)
	if err != nil {
		return nil, nil, listMeta{}, err
	}
	defer l.close()
	for {
		item, err := l.next()
		var one *ItemError
		switch {
		case errors.As(err, &one):
			lost = append(lost, one)
		case err == io.EOF:
			_, again := l.next()
			require.Equal(t, io.EOF, again, "the end of a list stays")
			return items, lost, l.meta(), nil
		case err != nil:
			_, again := l.next()
			require.Equal(t, err, again, "an error that is final stays")
			return items, lost, l.meta(), err
		default:
			items = append(items, item)
		}
	}
}

// readWatch is readList for a watch.
func readWatch(t testing.TB, c *codec, contentType string, body io.Reader) (events []wireEvent, lost []*ItemError, err error) {
	t.Helper()
	w, err := c.watchReader(contentType, body)
	if err != nil {
		return nil, nil, err
	}
	defer w.close()
	for {
		event, err := w.next()
		var one *ItemError
		switch {
		case errors.As(err, &one):
			lost = append(lost, one)
		case err == io.EOF:
			return events, lost, nil
		case err != nil:
			_, again := w.next()
			require.Equal(t, err, again, "an error that is final stays")
			return events, lost, err
		default:
			events = append(events, event)
		}
	}
}

func TestObjectsComeThroughEveryReader(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	body := `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[` + toJSON(t, aWidget("a")) + "," + toJSON(t, aWidget("b")) + "]}"
	items, lost, meta, err := readList(t, c, jsonType, bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []any{aWidget("a"), aWidget("b")}, items)
	require.Equal(t, "9", meta.resourceVersion)
	events, lost, err := readWatch(t, c, jsonType, bytes.NewReader([]byte(jsonFrame(t, "ADDED", aWidget("a"))+jsonFrame(t, "MODIFIED", aWidget("b")))))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []wireEvent{{typ: watch.Added, object: aWidget("a"), resourceVersion: "7"}, {typ: watch.Modified, object: aWidget("b"), resourceVersion: "7"}}, events)
	p := codecFor[metav1.PartialObjectMetadata](t, DecodeOptions{ShareStrings: ShareAlways})
	require.NotNil(t, p.protobuf)
	pom := metav1.PartialObjectMetadata{ObjectMeta: aWidget("a").ObjectMeta}
	items, lost, meta, err = readList(t, p, protobufType, bytes.NewReader(sealed(t, "meta.k8s.io/v1", "PartialObjectMetadataList", &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "8"}, Items: []metav1.PartialObjectMetadata{pom, pom}})))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []any{&pom, &pom}, items)
	require.Equal(t, "8", meta.resourceVersion)
	events, lost, err = readWatch(t, p, protobufType+";stream=watch", bytes.NewReader(protobufFrame(t, "ADDED", sealed(t, "meta.k8s.io/v1", "PartialObjectMetadata", &pom))))
	require.NoError(t, err)
	require.Empty(t, lost)
	want := pom
	want.Kind, want.APIVersion = "PartialObjectMetadata", "meta.k8s.io/v1"
	require.Equal(t, []wireEvent{{typ: watch.Added, object: &want, resourceVersion: "7"}}, events)
	o, err := c.decodeObject(jsonType, []byte(toJSON(t, aWidget("a"))))
	require.NoError(t, err)
	require.Equal(t, aWidget("a"), o)
	o, err = p.decodeObject(protobufType, sealed(t, "meta.k8s.io/v1", "PartialObjectMetadata", &pom))
	require.NoError(t, err)
	require.Equal(t, &want, o)
}

// ownProtobuf declares its own Unmarshal, which can be told to fail: by an
// object's annotation, or by bytes that are no protobuf.
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
		panic("as it was told")
	case "fails":
		return errors.New("failed as it was told")
	}
	o.ObjectMeta = p.ObjectMeta
	return nil
}

// message is the object with the Marshal that apimachinery has generated.
func (o *ownProtobuf) message() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: o.ObjectMeta}
}

// sameMemory says whether two strings are one.
func sameMemory(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

func onlyKey(m map[string]string) string {
	for key := range m {
		return key
	}
	return ""
}
