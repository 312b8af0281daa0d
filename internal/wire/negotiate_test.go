package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// Promise: protobuf is negotiated if T can unmarshal it. A metadata-only type
// requests only metadata.
func TestAcceptHeaders(t *testing.T) {
	const (
		as     = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
		asList = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
		proto  = "application/vnd.kubernetes.protobuf"
	)
	plain := codecFor[wiretest.Widget](t, Options{})
	promoted := codecFor[struct {
		metav1.ObjectMeta `json:"metadata"`
	}](t, Options{})
	own := codecFor[ownProtobuf](t, Options{})
	meta := codecFor[metav1.PartialObjectMetadata](t, Options{})
	for _, c := range []struct {
		codec      *Codec
		kind       AcceptKind
		configured string
		want       string
	}{
		{plain, AcceptObject, "", "application/json"},
		{plain, AcceptList, "", "application/json"},
		{plain, AcceptWatch, proto + "," + "application/json", "application/json"},
		{plain, AcceptList, proto, "application/json"},
		{promoted, AcceptList, "", "application/json"},
		{codecFor[unstructured.Unstructured](t, Options{}), AcceptList, "", "application/json"},
		{own, AcceptObject, "", proto + ", application/json"},
		{own, AcceptWatch, "", proto + ", application/json"},
		{own, AcceptList, "application/json", "application/json"},
		{own, AcceptList, "application/json;q=0.5, " + proto, "application/json;q=0.5, " + proto},
		{own, AcceptList, "application/cbor, application/json", "application/json"},
		{own, AcceptList, "application/cbor", "application/json"},
		{own, AcceptList, "not a media type,, */*", "*/*"},
		{meta, AcceptObject, "", proto + as + ", application/json" + as + ", application/json"},
		{meta, AcceptList, "", proto + asList + ", application/json" + asList + ", application/json"},
		{meta, AcceptWatch, "", proto + as + ", application/json" + as + ", application/json"},
		{meta, AcceptList, "application/json;q=0.9", "application/json" + asList + ";q=0.9, application/json"},
		{meta, AcceptList, "*/*", proto + asList + ", application/json" + asList + ", application/json"},
	} {
		require.Equal(t, c.want, c.codec.Accept(c.kind, c.configured), "%v %v %q", c.codec.typ, c.kind, c.configured)
	}
}

func TestTheEncodingDependsOnTheContentType(t *testing.T) {
	plain, own := codecFor[wiretest.Widget](t, Options{}), codecFor[ownProtobuf](t, Options{})
	for contentType, want := range map[string]encoding{
		"":                                    encodingJSON,
		"application/json":                    encodingJSON,
		"Application/JSON; charset=utf-8":     encodingJSON,
		"application/json;stream=watch":       encodingJSON,
		"application/vnd.kubernetes.protobuf": encodingProtobuf,
		"application/vnd.kubernetes.protobuf;stream=watch": encodingProtobuf,
	} {
		got, err := own.encodingOf(contentType)
		require.NoError(t, err, contentType)
		require.Equal(t, want, got, contentType)
	}
	for _, contentType := range []string{"text/html", "text/plain; charset=utf-8", "application/cbor", ";", "application/", "application/jsonx"} {
		_, err := own.encodingOf(contentType)
		require.ErrorContains(t, err, contentType)
	}
	_, err := plain.encodingOf("application/vnd.kubernetes.protobuf")
	require.ErrorContains(t, err, "wiretest.Widget cannot be decoded from: want application/json")
}
