package rest

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
)

// Promise: managedFields are kept in what Get and the writes return,
// whatever the options for lists say.
func TestAnObjectIsDecodedWhole(t *testing.T) {
	want := &ownProtobuf{TypeMeta: metav1.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"}, ObjectMeta: aWidget("a").ObjectMeta}
	want.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}}
	c := codecFor[ownProtobuf](t, DecodeOptions{})
	for contentType, body := range map[string][]byte{
		jsonType:     []byte("\n " + toJSON(t, want) + " \n"),
		protobufType: sealed(t, "example.com/v1", "Widget", want.message()),
	} {
		before := string(body)
		got, err := c.decodeObject(contentType, body)
		require.NoError(t, err, contentType)
		require.Equal(t, want, got, contentType)
		require.Equal(t, before, string(body), "the body is the caller's")
	}
}

func TestABodyThatIsNoObject(t *testing.T) {
	c := codecFor[ownProtobuf](t, DecodeOptions{MaxDepth: 20})
	object := toJSON(t, aWidget("a"))
	for body, why := range map[string]string{
		"":                                 "it is empty",
		"\n":                               "it is empty",
		"null":                             `it is no JSON object: it begins with "null"`,
		`"a string"`:                       "it is no JSON object",
		object + object:                    fmt.Sprintf("after the object, at byte %d of %d, there is more", len(object), 2*len(object)),
		object + "\x00":                    "there is more",
		`{"metadata":{"name":7}}`:          "metadata.name",
		`{"metadata":{"name":"a",}}`:       "not JSON",
		`{"x":` + strings.Repeat("[", 30):  "nested deeper than",
		`{"metadata":{"generation":1e99}}`: "metadata.generation",
		`{"metadata":{"generation":99999999999999999999}}`: "metadata.generation",
	} {
		_, err := c.decodeObject(jsonType, []byte(body))
		require.ErrorContains(t, err, why, body)
		require.ErrorContains(t, err, "decode the server's answer into rest.ownProtobuf", body)
	}
	for cut := 1; cut < len(object); cut++ {
		_, err := c.decodeObject(jsonType, []byte(object[:cut]))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.ErrorContains(t, err, fmt.Sprintf("it ends too early, at byte %d", cut))
	}
	for body, why := range map[string]string{
		"":                    "it is empty",
		"k8s\x00\x12\x7f":     "field 2 says it has 127 bytes, and 0 are left",
		"k8s\x00\x12\x01\x0a": "unmarshal the protobuf: unexpected EOF",
		`{"kind":"Widget"}`:   "does not begin as the protobuf of Kubernetes does",
		"k8s\x00\x0a\x01\x0a": "the type in the envelope",
	} {
		_, err := c.decodeObject(protobufType, []byte(body))
		require.ErrorContains(t, err, why, "%q", body)
	}
}

// Promise: a 200 that carries a failure Status.
// Whatever else a server sends is not taken for the object.
func TestAnotherKindInThePlaceOfAnObject(t *testing.T) {
	decode := func(kind string, of reflect.Type, came string) error {
		info := wireWidgets
		info.Kind = kind
		c, err := newCodec(of, info, DecodeOptions{}, nil)
		require.NoError(t, err)
		_, inJSON := c.decodeObject(jsonType, fmt.Appendf(nil, `{"metadata":{"name":"a"},"kind":%q,"items":[]}`, came))
		if c.protobuf == nil {
			return inJSON
		}
		_, inProtobuf := c.decodeObject(protobufType, sealed(t, "v1", came, aWidgetMessage()))
		require.Equal(t, fmt.Sprint(inJSON), fmt.Sprint(inProtobuf))
		return inJSON
	}
	own, any, meta := reflect.TypeFor[ownProtobuf](), reflect.TypeFor[unstructured.Unstructured](), reflect.TypeFor[metav1.PartialObjectMetadata]()
	for _, of := range []reflect.Type{own, any, meta} {
		require.NoError(t, decode("Widget", of, "Widget"), "metadata too: of a server that does not know how to send only that")
		require.NoError(t, decode("Widget", of, ""))
		require.NoError(t, decode("", of, "Widget"))
		require.NoError(t, decode("AccessList", of, "AccessList"))
		require.NoError(t, decode("Table", of, "Table"), "a table of furniture")
		for _, came := range []string{"Table", "WidgetList", "Gadget", "widget"} {
			require.ErrorContains(t, decode("Widget", of, came), fmt.Sprintf("the server sent a %q and no Widget", came))
		}
		for _, came := range []string{"Table", "WidgetList"} {
			require.ErrorContains(t, decode("", of, came), fmt.Sprintf("the server sent a %q and no object", came))
		}
	}
	require.NoError(t, decode("Widget", meta, "PartialObjectMetadata"))
	require.Error(t, decode("Widget", meta, "PartialObjectMetadataList"))
	require.Error(t, decode("Widget", own, "PartialObjectMetadata"))
	_, err := codecFor[metav1.Status](t, DecodeOptions{}).decodeObject(jsonType, []byte(`{"kind":"Status","status":"Success"}`))
	require.NoError(t, err)
}

func TestAStatusInThePlaceOfAnObject(t *testing.T) {
	status := &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: "there is none", Reason: metav1.StatusReasonNotFound, Code: 404,
	}
	own, any := codecFor[ownProtobuf](t, DecodeOptions{}), codecFor[unstructured.Unstructured](t, DecodeOptions{})
	for _, c := range []*codec{own, any} {
		_, err := c.decodeObject(jsonType, []byte(toJSON(t, status)))
		require.True(t, apierrors.IsNotFound(err), "%v", err)
		require.Equal(t, "there is none", err.Error())
	}
	_, err := own.decodeObject(protobufType, sealed(t, "v1", "Status", status))
	require.True(t, apierrors.IsNotFound(err), "%v", err)

	_, err = own.decodeObject(jsonType, []byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))
	require.ErrorContains(t, err, "a Status of success came instead")
	_, err = own.decodeObject(jsonType, []byte(`{"kind":"Status","apiVersion":"v1","code":"x"}`))
	require.ErrorContains(t, err, "decode the Status")

	got, err := codecFor[metav1.Status](t, DecodeOptions{}).decodeObject(jsonType, []byte(toJSON(t, status)))
	require.NoError(t, err, "who asks for a Status gets it")
	require.Equal(t, status, got)
	own.info.Kind = "Status"
	got, err = own.decodeObject(jsonType, []byte(`{"kind":"Status","apiVersion":"example.com/v1","metadata":{"name":"a"}}`))
	require.NoError(t, err, "somebody's own kind may have the same name")
	require.Equal(t, "a", got.(*ownProtobuf).Name)
}

func TestAnUnstructuredObjectSaysWhatItIs(t *testing.T) {
	c := codecFor[unstructured.Unstructured](t, DecodeOptions{})
	got, err := c.decodeObject(jsonType, []byte(`{"metadata":{"name":"a"}}`))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}}, got.(*unstructured.Unstructured).Object)
}

func TestTypesThatCannotBeDecodedInto(t *testing.T) {
	type meta struct {
		SlimMeta `json:",inline"`
		Labels   map[string]string `json:"labels"`
	}
	for what, c := range map[string]struct {
		value any
		why   string
	}{
		"slim, no name": {struct{ SlimMeta }{}, "embeds rest.SlimMeta, which must have the tag `json:\"metadata\"`"},
		"slim, inline": {struct {
			SlimMeta `json:",inline"`
		}{}, "must have the tag"},
		"slim, another name": {struct {
			SlimMeta `json:"meta"`
		}{}, "must have the tag"},
		"slim, pointer":    {struct{ *SlimMeta }{}, "must have the tag"},
		"slim, two levels": {struct{ meta }{}, "must have the tag"},
		"full, no name":    {struct{ metav1.ObjectMeta }{}, "embeds v1.ObjectMeta, which must have the tag"},
		"a channel": {struct {
			SlimMeta `json:"metadata"`
			C        chan int
		}{}, "C"},
		"a string": {"", "must be a pointer to a struct"},
	} {
		_, err := newCodec(reflect.TypeOf(c.value), wireWidgets, DecodeOptions{}, nil)
		require.ErrorContains(t, err, c.why, what)
	}
	for _, value := range []any{
		struct {
			SlimMeta `json:"metadata"`
		}{},
		struct {
			*SlimMeta `json:"metadata,omitempty"`
		}{},
		struct {
			meta `json:"metadata"`
		}{},
		wireWidget{}, unstructured.Unstructured{}, metav1.PartialObjectMetadata{},
	} {
		_, err := newCodec(reflect.TypeOf(value), wireWidgets, DecodeOptions{}, nil)
		require.NoError(t, err, "%T", value)
	}
}

// DecodeOptions.ShareStrings.
func TestStringsAreSharedAsAsked(t *testing.T) {
	inJSON, inProtobuf, _, _ := twoFrames(t)
	for _, sharing := range []Sharing{ShareJSON, ShareAlways, ShareNever} {
		c := codecFor[ownProtobuf](t, DecodeOptions{ShareStrings: sharing})
		for contentType, body := range map[string]string{jsonType: inJSON, protobufWatchType: string(inProtobuf)} {
			events, _, err := readWatch(t, c, contentType, strings.NewReader(body))
			require.NoError(t, err)
			first, second := events[0].object.(*ownProtobuf), events[1].object.(*ownProtobuf)
			shared := sharing == ShareAlways || sharing == ShareJSON && contentType == jsonType
			require.Equal(t, shared, sameMemory(first.Namespace, second.Namespace), "%v %s", sharing, contentType)
			require.Equal(t, shared, sameMemory(onlyKey(first.Labels), onlyKey(second.Labels)), "%v %s", sharing, contentType)
			require.Equal(t, shared, sameMemory(first.Labels["app"], second.Labels["app"]), "%v %s", sharing, contentType)
		}
	}
}
