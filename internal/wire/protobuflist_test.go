package wire

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/internal/wiretest"
)

func protobufListBody(t testing.TB) (body []byte, want []any) {
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "more", RemainingItemCount: new(int64)}}
	for _, name := range []string{"a", "b", "c"} {
		item := metav1.PartialObjectMetadata{ObjectMeta: wiretest.NewWidget(name).ObjectMeta}
		list.Items = append(list.Items, item)
		want = append(want, &item)
	}
	return wiretest.ProtobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadataList", list), want
}

func TestAProtobufListDoesNotDependOnHowItsBytesArrive(t *testing.T) {
	c := codecFor[metav1.PartialObjectMetadata](t, Options{})
	body, want := protobufListBody(t)
	for cut := range len(body) + 1 {
		items, lost, meta, err := readList(t, c, ProtobufType, &chunkedReader{string(body[:cut]), string(body[cut:])})
		require.NoError(t, err, "cut at %d", cut)
		require.Empty(t, lost)
		require.Equal(t, want, items, "cut at %d", cut)
		require.Equal(t, ListMeta{"9", "more", new(int64)}, meta)
	}
	content := len(wiretest.Protobuf(t, &runtime.Unknown{})) // the fields after the content
	for cut := range len(body) - content {
		_, lost, _, err := readList(t, c, ProtobufType, bytes.NewReader(body[:cut]))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
		require.Empty(t, lost)
	}
}

func TestAnInvalidProtobufItemLosesOnlyItself(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{})
	list := &metav1.PartialObjectMetadataList{}
	for _, behaviour := range []string{"", "panics", "fails", ""} {
		item := metav1.PartialObjectMetadata{ObjectMeta: wiretest.NewWidget("w" + behaviour).ObjectMeta}
		item.Annotations = map[string]string{"unmarshal": behaviour}
		item.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
		list.Items = append(list.Items, item)
	}
	items, lost, _, err := readList(t, c, ProtobufType, bytes.NewReader(wiretest.ProtobufEnvelope(t, "example.com/v1", "WidgetList", list)))
	require.NoError(t, err)
	require.Len(t, items, 2)
	require.Len(t, lost, 2)
	require.Equal(t, "wpanics", lost[0].Name)
	require.ErrorContains(t, lost[0], "panicked: the test makes it panic")
	require.Equal(t, ItemError{Namespace: "shop", Name: "wfails", UID: "uid-of-wfails", ResourceVersion: "7", Err: lost[1].Err}, *lost[1])
	require.ErrorContains(t, lost[1], "the test makes Unmarshal fail")
}

// Promise: protobuf with wrong lengths is an error.
func TestInvalidProtobufListsAreErrors(t *testing.T) {
	c := codecOfAnyKind[metav1.PartialObjectMetadata](t, Options{MaxObjectBytes: 1 << 10})
	envelope := func(kind, raw string) string {
		return "k8s\x00" + string(wiretest.Protobuf(t, &runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: kind, APIVersion: "v1"}, Raw: []byte(raw)}))
	}
	const head = "k8s\x00\x0a\x07\x12\x05XList"
	for body, why := range map[string]string{
		"":                            "ends too early, at byte 0",
		"k8s":                         "ends too early, at byte 3",
		"k8s\x00":                     "the envelope is empty",
		`{"kind":"PodList"}`:          `is not Kubernetes protobuf: it begins with "{\"kind`,
		"k8s\x01\x0a\x00":             "is not Kubernetes protobuf",
		head:                          "the envelope is empty",
		head + "\x12\x05":             "ends too early",
		head + "\x12\x05\x12\x7f":     "field 2 of the list has 127 bytes, but only 3 remain",
		head + "\x12\x02\x12\x82\x01": "of the list",
		head + "\x12\x81\x80":         "ends too early",
		head + "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f": "field 2 of the list has",
		head + "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x12\xff\xff\xff\xff\x0f":                 "an item of more than 1024 bytes",
		head + "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01":                                     "invalid length 18446744073709551615",
		head + "\x1a\xff\xff\xff\xff\x0f":                                                         "a field of the envelope of more than 1024 bytes",
		head + "\x1b":                                                                             "unknown wire type",
		head + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff":                                         "exceeds 64 bits",
		"k8s\x00\x0a\x03\x12\x7fX":                                                                "protobuf envelope, TypeMeta",
		envelope("XList", "\x0a\x02\x12\x7f"):                                                     "the list's metadata",
		envelope("XList", ""):                                                                     `the server sent a "XList" with neither metadata nor items`,
		envelope("XList", "\x1a\x00"):                                                             `the server sent a "XList" with neither metadata nor items`,
		envelope("", "\x18\x00"):                                                                  `the server sent a "" with neither metadata nor items`,
		envelope("Pod", ""):                                                                       `the server sent a "Pod" instead of a list`,
		envelope("Table", ""):                                                                     `the server sent a "Table" instead of a list`,
		"k8s\x00\x12\x00\x0a\x07\x12\x05Table":                                                    `the server sent a "Table" instead of a list`,
		envelope("XList", "\x0a\x00") + "\x12\x00":                                                "content twice",
		"k8s\x00\x0a\x08\x12\x06Status\x12\xff\xff\xff\xff\x0f":                                   "a Status of more than 1024 bytes",
	} {
		_, lost, _, err := readList(t, c, ProtobufType, strings.NewReader(body))
		require.ErrorContains(t, err, why, "%q", body)
		require.ErrorContains(t, err, "decode the list", "%q", body)
		require.Empty(t, lost)
	}
	items, _, _, err := readList(t, c, ProtobufType, strings.NewReader(envelope("XList", "\x0a\x00")))
	require.NoError(t, err, "a list with only the required metadata")
	require.Empty(t, items)
}
