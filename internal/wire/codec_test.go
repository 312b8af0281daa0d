package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/wiretest"
)

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

func codecFor[T any](t testing.TB, o Options) *Codec {
	t.Helper()
	c, err := NewCodec(reflect.TypeFor[T](), widgetKind, o, nil)
	require.NoError(t, err)
	return c
}

// codecOfAnyKind returns a codec without an expected kind.
func codecOfAnyKind[T any](t testing.TB, o Options) *Codec {
	t.Helper()
	info := widgetKind
	info.Kind = ""
	c, err := NewCodec(reflect.TypeFor[T](), info, o, nil)
	require.NoError(t, err)
	return c
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
	c := codecFor[wiretest.Widget](t, Options{})
	body := `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[` + wiretest.JSON(t, wiretest.NewWidget("a")) + "," + wiretest.JSON(t, wiretest.NewWidget("b")) + "]}"
	items, lost, meta, err := readList(t, c, JSONType, bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []any{wiretest.NewWidget("a"), wiretest.NewWidget("b")}, items)
	require.Equal(t, "9", meta.ResourceVersion)
	events, lost, err := readWatch(t, c, JSONType, bytes.NewReader([]byte(wiretest.JSONFrame(t, "ADDED", wiretest.NewWidget("a"))+wiretest.JSONFrame(t, "MODIFIED", wiretest.NewWidget("b")))))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []Event{{Type: watch.Added, Object: wiretest.NewWidget("a"), ResourceVersion: "7"}, {Type: watch.Modified, Object: wiretest.NewWidget("b"), ResourceVersion: "7"}}, events)
	p := codecFor[metav1.PartialObjectMetadata](t, Options{ShareStrings: ShareAlways})
	require.NotNil(t, p.protobuf)
	pom := metav1.PartialObjectMetadata{ObjectMeta: wiretest.NewWidget("a").ObjectMeta}
	items, lost, meta, err = readList(t, p, ProtobufType, bytes.NewReader(wiretest.ProtobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadataList", &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "8"}, Items: []metav1.PartialObjectMetadata{pom, pom}})))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []any{&pom, &pom}, items)
	require.Equal(t, "8", meta.ResourceVersion)
	events, lost, err = readWatch(t, p, ProtobufType+";stream=watch", bytes.NewReader(wiretest.ProtobufFrame(t, "ADDED", wiretest.ProtobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadata", &pom))))
	require.NoError(t, err)
	require.Empty(t, lost)
	want := pom
	want.Kind, want.APIVersion = "PartialObjectMetadata", "meta.k8s.io/v1"
	require.Equal(t, []Event{{Type: watch.Added, Object: &want, ResourceVersion: "7"}}, events)
	o, err := c.DecodeObject(JSONType, []byte(wiretest.JSON(t, wiretest.NewWidget("a"))))
	require.NoError(t, err)
	require.Equal(t, wiretest.NewWidget("a"), o)
	o, err = p.DecodeObject(ProtobufType, wiretest.ProtobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadata", &pom))
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
