package wire

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// Promise: the results of Get and of writes keep managedFields, whatever the
// options for lists are.
func TestAnObjectKeepsManagedFields(t *testing.T) {
	want := &ownProtobuf{TypeMeta: metav1.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"}, ObjectMeta: wiretest.NewWidget("a").ObjectMeta}
	want.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}}
	c := codecFor[ownProtobuf](t, Options{})
	for contentType, body := range map[string][]byte{
		JSONType:     []byte("\n " + wiretest.JSON(t, want) + " \n"),
		ProtobufType: wiretest.ProtobufEnvelope(t, "example.com/v1", "Widget", want.message()),
	} {
		before := string(body)
		got, err := c.DecodeObject(contentType, body)
		require.NoError(t, err, contentType)
		require.Equal(t, want, got, contentType)
		require.Equal(t, before, string(body), "the body was not modified")
	}
}

func TestABodyThatIsNotAnObjectIsAnError(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{MaxDepth: 20})
	object := wiretest.JSON(t, wiretest.NewWidget("a"))
	for body, why := range map[string]string{
		"":                                 "it is empty",
		"\n":                               "it is empty",
		"null":                             `it is not a JSON object: it begins with "null"`,
		`"a string"`:                       "it is not a JSON object",
		object + object:                    fmt.Sprintf("unexpected data after the object, at byte %d of %d", len(object), 2*len(object)),
		object + "\x00":                    "unexpected data after the object",
		`{"metadata":{"name":7}}`:          "metadata.name",
		`{"metadata":{"name":"a",}}`:       "not JSON",
		`{"x":` + strings.Repeat("[", 30):  "nested deeper than",
		`{"metadata":{"generation":1e99}}`: "metadata.generation",
		`{"metadata":{"generation":99999999999999999999}}`: "metadata.generation",
	} {
		_, err := c.DecodeObject(JSONType, []byte(body))
		require.ErrorContains(t, err, why, body)
		require.ErrorContains(t, err, "decode the response into wire.ownProtobuf", body)
	}
	for cut := 1; cut < len(object); cut++ {
		_, err := c.DecodeObject(JSONType, []byte(object[:cut]))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.ErrorContains(t, err, fmt.Sprintf("it ends too early, at byte %d", cut))
	}
	for body, why := range map[string]string{
		"":                    "it is empty",
		"k8s\x00\x12\x7f":     "field 2 has 127 bytes, 0 are left",
		"k8s\x00\x12\x01\x0a": "unmarshal the protobuf: protobuf message is truncated",
		`{"kind":"Widget"}`:   "the magic number is missing",
		"k8s\x00\x0a\x01\x0a": "protobuf envelope, TypeMeta",
	} {
		_, err := c.DecodeObject(ProtobufType, []byte(body))
		require.ErrorContains(t, err, why, "%q", body)
	}
}

// Promise: a Status or an object of another kind is not decoded as the object.
func TestAnObjectOfAnotherKindIsAnError(t *testing.T) {
	decode := func(kind string, typ reflect.Type, sentKind string) error {
		info := widgetKind
		info.Kind = kind
		c, err := NewCodec(typ, info, Options{}, nil)
		require.NoError(t, err)
		_, inJSON := c.DecodeObject(JSONType, fmt.Appendf(nil, `{"metadata":{"name":"a"},"kind":%q,"items":[]}`, sentKind))
		if c.protobuf == nil {
			return inJSON
		}
		_, inProtobuf := c.DecodeObject(ProtobufType, wiretest.ProtobufEnvelope(t, "v1", sentKind, wiretest.NewMetadata("a")))
		require.Equal(t, fmt.Sprint(inJSON), fmt.Sprint(inProtobuf))
		return inJSON
	}
	withUnmarshal, untyped, meta := reflect.TypeFor[ownProtobuf](), reflect.TypeFor[unstructured.Unstructured](), reflect.TypeFor[metav1.PartialObjectMetadata]()
	for _, typ := range []reflect.Type{withUnmarshal, untyped, meta} {
		require.NoError(t, decode("Widget", typ, "Widget"), "full objects, of a server that cannot send metadata only")
		require.NoError(t, decode("Widget", typ, ""))
		require.NoError(t, decode("", typ, "Widget"))
		require.NoError(t, decode("AccessList", typ, "AccessList"))
		require.NoError(t, decode("Table", typ, "Table"), "a custom kind named Table")
		for _, sentKind := range []string{"Table", "WidgetList", "Gadget", "widget"} {
			require.ErrorContains(t, decode("Widget", typ, sentKind), fmt.Sprintf("the server sent a %q instead of a Widget", sentKind))
		}
		for _, sentKind := range []string{"Table", "WidgetList"} {
			require.ErrorContains(t, decode("", typ, sentKind), fmt.Sprintf("the server sent a %q instead of an object", sentKind))
		}
	}
	require.NoError(t, decode("Widget", meta, "PartialObjectMetadata"))
	require.Error(t, decode("Widget", meta, "PartialObjectMetadataList"))
	require.Error(t, decode("Widget", withUnmarshal, "PartialObjectMetadata"))
	_, err := codecFor[metav1.Status](t, Options{}).DecodeObject(JSONType, []byte(`{"kind":"Status","status":"Success"}`))
	require.NoError(t, err)
}

func TestAStatusInsteadOfAnObjectIsAnError(t *testing.T) {
	status := &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: "no such object", Reason: metav1.StatusReasonNotFound, Code: 404,
	}
	typed, untyped := codecFor[ownProtobuf](t, Options{}), codecFor[unstructured.Unstructured](t, Options{})
	for _, c := range []*Codec{typed, untyped} {
		_, err := c.DecodeObject(JSONType, []byte(wiretest.JSON(t, status)))
		require.True(t, apierrors.IsNotFound(err), "%v", err)
		require.Equal(t, "no such object", err.Error())
	}
	_, err := typed.DecodeObject(ProtobufType, wiretest.ProtobufEnvelope(t, "v1", "Status", status))
	require.True(t, apierrors.IsNotFound(err), "%v", err)

	_, err = typed.DecodeObject(JSONType, []byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))
	require.ErrorContains(t, err, "got a Status of success instead")
	_, err = typed.DecodeObject(JSONType, []byte(`{"kind":"Status","apiVersion":"v1","code":"x"}`))
	require.ErrorContains(t, err, "decode the Status")

	got, err := codecFor[metav1.Status](t, Options{}).DecodeObject(JSONType, []byte(wiretest.JSON(t, status)))
	require.NoError(t, err, "a Status is decoded if T is Status")
	require.Equal(t, status, got)
	typed.kind.Kind = "Status"
	got, err = typed.DecodeObject(JSONType, []byte(`{"kind":"Status","apiVersion":"example.com/v1","metadata":{"name":"a"}}`))
	require.NoError(t, err, "a custom kind may have the same name")
	require.Equal(t, "a", got.(*ownProtobuf).Name)
}

func TestAnUnstructuredObjectHasKindAndAPIVersion(t *testing.T) {
	c := codecFor[unstructured.Unstructured](t, Options{})
	got, err := c.DecodeObject(JSONType, []byte(`{"metadata":{"name":"a"}}`))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}}, got.(*unstructured.Unstructured).Object)
}

// DecodeOptions.ShareStrings.
func TestShareStrings(t *testing.T) {
	inJSON, inProtobuf, _, _ := twoFrames(t)
	for _, sharing := range []StringSharing{ShareJSON, ShareAlways, ShareNever} {
		c := codecFor[ownProtobuf](t, Options{ShareStrings: sharing})
		for contentType, body := range map[string]string{JSONType: inJSON, protobufWatchType: string(inProtobuf)} {
			events, _, err := readWatch(t, c, contentType, strings.NewReader(body))
			require.NoError(t, err)
			first, second := events[0].Object.(*ownProtobuf), events[1].Object.(*ownProtobuf)
			shared := sharing == ShareAlways || sharing == ShareJSON && contentType == JSONType
			require.Equal(t, shared, sameMemory(first.Namespace, second.Namespace), "%v %s", sharing, contentType)
			require.Equal(t, shared, sameMemory(onlyKey(first.Labels), onlyKey(second.Labels)), "%v %s", sharing, contentType)
			require.Equal(t, shared, sameMemory(first.Labels["app"], second.Labels["app"]), "%v %s", sharing, contentType)
		}
	}
}
