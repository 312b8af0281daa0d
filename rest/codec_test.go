package rest

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/wire"
	"github.com/thinformer/thinformer/internal/wiretest"
)

var widgetInfo = ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
	Kind:                 "Widget", Namespaced: true,
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
		_, err := newCodec(reflect.TypeOf(c.value), widgetInfo, DecodeOptions{}, false, nil)
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
		wiretest.Widget{}, unstructured.Unstructured{}, metav1.PartialObjectMetadata{},
	} {
		_, err := newCodec(reflect.TypeOf(value), widgetInfo, DecodeOptions{}, false, nil)
		require.NoError(t, err, "%T", value)
	}
}

// Errors of internal/wire are converted, also within the error of a single object.
func TestAnObjectThatCannotBeDecodedIsAnItemError(t *testing.T) {
	invalid := string(append([]byte("k8s\x00\x12\x04"), "\x0a\x0212"...))
	client, _ := scripted(t, Config{}, respondsWith(200, invalid, "Content-Type", wire.ProtobufType),
		respondsWith(200, `{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":["a"]}}]}`))
	view := NewView[*metav1.PartialObjectMetadata](client, widgetInfo).Namespace("shop")
	_, err := view.Get(t.Context(), "a", metav1.GetOptions{})
	var item *ItemError
	require.ErrorAs(t, err, &item)
	require.ErrorContains(t, err, "decode the response into v1.PartialObjectMetadata: decode an object without a name: unmarshal the protobuf")
	list, err := view.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = list.Slice()
	require.IsType(t, &ItemError{}, err)
}
