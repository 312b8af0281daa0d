package rest

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Promise: protobuf is negotiated when T can unmarshal it; and a
// metadata-only type asks the server for metadata only.
func TestAcceptHeaders(t *testing.T) {
	const (
		as     = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
		asList = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
		proto  = "application/vnd.kubernetes.protobuf"
	)
	plain := codecFor[wireWidget](t, DecodeOptions{})
	lent := codecFor[struct {
		metav1.ObjectMeta `json:"metadata"`
	}](t, DecodeOptions{})
	own := codecFor[ownProtobuf](t, DecodeOptions{})
	meta := codecFor[metav1.PartialObjectMetadata](t, DecodeOptions{})
	for _, c := range []struct {
		codec      *codec
		kind       acceptKind
		configured string
		want       string
	}{
		{plain, acceptObject, "", "application/json"},
		{plain, acceptList, "", "application/json"},
		{plain, acceptWatch, proto + "," + "application/json", "application/json"},
		{plain, acceptList, proto, "application/json"},
		{lent, acceptList, "", "application/json"},
		{codecFor[unstructured.Unstructured](t, DecodeOptions{}), acceptList, "", "application/json"},
		{own, acceptObject, "", proto + ", application/json"},
		{own, acceptWatch, "", proto + ", application/json"},
		{own, acceptList, "application/json", "application/json"},
		{own, acceptList, "application/json;q=0.5, " + proto, "application/json;q=0.5, " + proto},
		{own, acceptList, "application/cbor, application/json", "application/json"},
		{own, acceptList, "application/cbor", "application/json"},
		{own, acceptList, "not a media type,, */*", "*/*"},
		{meta, acceptObject, "", proto + as + ", application/json" + as + ", application/json"},
		{meta, acceptList, "", proto + asList + ", application/json" + asList + ", application/json"},
		{meta, acceptWatch, "", proto + as + ", application/json" + as + ", application/json"},
		{meta, acceptList, "application/json;q=0.9", "application/json" + asList + ";q=0.9, application/json"},
		{meta, acceptList, "*/*", proto + asList + ", application/json" + asList + ", application/json"},
	} {
		require.Equal(t, c.want, c.codec.accept(c.kind, c.configured), "%v %v %q", c.codec.typ, c.kind, c.configured)
	}
}

func TestContentTypes(t *testing.T) {
	plain, own := codecFor[wireWidget](t, DecodeOptions{}), codecFor[ownProtobuf](t, DecodeOptions{})
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
	require.ErrorContains(t, err, "rest.wireWidget cannot be decoded from: want application/json")
}
