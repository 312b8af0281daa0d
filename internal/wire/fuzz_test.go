package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// outcome is the result of reading a body.
type outcome struct {
	items  []any
	events []Event
	lost   []string
	meta   ListMeta
	failed bool
}

// deliveries are the ways in which the same bytes may arrive.
func deliveries(data []byte) map[string]io.Reader {
	return map[string]io.Reader{
		"whole":  bytes.NewReader(data),
		"bytes":  iotest.OneByteReader(bytes.NewReader(data)),
		"halves": iotest.HalfReader(bytes.NewReader(data)),
		"end":    iotest.DataErrReader(bytes.NewReader(data)),
	}
}

// requireSameForAllDeliveries fails the test if the result depends on how the bytes are cut.
// It returns the result.
func requireSameForAllDeliveries(t *testing.T, data []byte, read func(io.Reader) (outcome, error)) outcome {
	t.Helper()
	var first *outcome
	for way, r := range deliveries(data) {
		got, err := read(r)
		got.failed = err != nil
		noPanic(t, err)
		if first == nil {
			first = &got
		}
		require.Equal(t, *first, got, "%s: %v", way, err)
	}
	return *first
}

func noPanic(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		require.NotContains(t, err.Error(), "panicked")
		require.Less(t, len(err.Error()), 4000, "an error contains little of the body")
	}
}

func lostNames(t *testing.T, lost []*ItemError) (names []string) {
	for _, l := range lost {
		noPanic(t, l)
		names = append(names, fmt.Sprintf("%s %s/%s %s %s", l.Type, l.Namespace, l.Name, l.UID, l.ResourceVersion))
	}
	return names
}

// FuzzListJSON checks that the result does not depend on how a body is cut, and it is
// the result of apimachinery's decoder.
func FuzzListJSON(f *testing.F) {
	widget := wiretest.JSON(f, wiretest.NewWidget("a"))
	for _, seed := range []string{
		listWithItems("[" + widget + "," + widget + "]"), listWithItems("[]"), listWithItems("null"), listWithItems(`[{"spec":{"size":"x"}},` + widget + `]`),
		`{"items":[` + widget + `],"metadata":{"continue":"c","remainingItemCount":3},"kind":"WidgetList"}`,
		`{"kind":"Status","apiVersion":"v1","status":"Failure","code":410}`, `{"kind":"Table"}`, listWithItems("[null,1]") + "x",
		listWithItems("[{\"metadata\":{\"name\":\"\xff\\ud800\"}}]"), listWithItems(`[{"a":[[[[{}]]]]}]`), ` {"items":[{},{}]}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	typed, any := codecFor[wiretest.Widget](f, Options{KeepManagedFields: true}), codecFor[unstructured.Unstructured](f, Options{KeepManagedFields: true})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range []*Codec{typed, any} {
			got := requireSameForAllDeliveries(t, data, func(r io.Reader) (outcome, error) {
				items, lost, meta, err := readList(t, c, JSONType, r)
				return outcome{items: items, lost: lostNames(t, lost), meta: meta}, err
			})
			if c == typed && !got.failed && got.lost == nil {
				sameAsApimachinery(t, data, got)
			}
		}
	})
}

func sameAsApimachinery(t *testing.T, data []byte, got outcome) {
	var want struct {
		metav1.ListMeta `json:"metadata"`
		Items           []*wiretest.Widget `json:"items"`
	}
	if json.Unmarshal(data, &want) != nil {
		return // in a skipped part
	}
	if bytes.Count(data, []byte("metadata")) > 1+len(got.items) || bytes.Contains(data, []byte(`\u`)) {
		return // possibly a duplicate key, whose meaning is undefined
	}
	require.Equal(t, want.ResourceVersion, got.meta.ResourceVersion)
	require.Equal(t, want.Continue, got.meta.Continuation)
	require.Equal(t, want.RemainingItemCount, got.meta.Remaining)
	require.Len(t, got.items, len(want.Items))
	for i, item := range want.Items {
		require.Equal(t, item, got.items[i])
	}
}

// FuzzWatchJSON checks that the result does not depend on how a body is cut.
func FuzzWatchJSON(f *testing.F) {
	frame := wiretest.JSONFrame(f, "ADDED", wiretest.NewWidget("a"))
	for _, seed := range []string{
		frame + frame, strings.TrimSpace(frame) + frame, frame[:40], "\n\n" + frame + "\n",
		`{"object":{"metadata":{"name":"a"}},"type":"DELETED"}`, `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"3"}}}`,
		`{"type":"ERROR","object":{"kind":"Status","code":410}}`, `{"type":"ADDED","object":{"spec":{"size":"x"}}}` + frame,
		`{"type":"ADDED","object":{},"object":{}}`, `{"type":"\u0041DDED","object":{"a":[]}}`, `{"x":[{}],"type":"MODIFIED","object":{} }`,
	} {
		f.Add([]byte(seed))
	}
	c := codecFor[wiretest.Widget](f, Options{})
	f.Fuzz(func(t *testing.T, data []byte) {
		requireSameForAllDeliveries(t, data, func(r io.Reader) (outcome, error) {
			events, lost, err := readWatch(t, c, JSONType, r)
			return outcome{events: events, lost: lostNames(t, lost)}, err
		})
	})
}

// FuzzListProtobuf checks that the result does not depend on how a body is cut, and it
// is the result of apimachinery's decoder.
func FuzzListProtobuf(f *testing.F) {
	body, _ := protobufListBody(f)
	f.Add(body)
	f.Add(body[:len(body)/2])
	f.Add(wiretest.ProtobufEnvelope(f, "v1", "Status", &metav1.Status{Status: "Failure", Code: 410}))
	f.Add(wiretest.ProtobufEnvelope(f, "v1", "XList", &metav1.PartialObjectMetadataList{}))
	f.Add([]byte("k8s\x00\x0a\x07\x12\x05XList\x12\x05\x12\x7f"))
	c := codecFor[metav1.PartialObjectMetadata](f, Options{KeepManagedFields: true, MaxObjectBytes: 1 << 16})
	f.Fuzz(func(t *testing.T, data []byte) {
		got := requireSameForAllDeliveries(t, data, func(r io.Reader) (outcome, error) {
			items, lost, meta, err := readList(t, c, ProtobufType, r)
			return outcome{items: items, lost: lostNames(t, lost), meta: meta}, err
		})
		if got.failed || got.lost != nil {
			return
		}
		var envelope runtime.Unknown
		var want metav1.PartialObjectMetadataList
		if envelope.Unmarshal(data[4:]) != nil || want.Unmarshal(envelope.Raw) != nil {
			return // apimachinery decodes more than is needed, and rejects it
		}
		require.Equal(t, want.ResourceVersion, got.meta.ResourceVersion)
		require.Equal(t, want.Continue, got.meta.Continuation)
		require.Len(t, got.items, len(want.Items))
		for i := range want.Items {
			require.Equal(t, &want.Items[i], got.items[i])
		}
	})
}

// FuzzWatchProtobuf checks that the result does not depend on how a body is cut, and it
// is the result of apimachinery's decoder.
func FuzzWatchProtobuf(f *testing.F) {
	_, body, _, _ := twoFrames(f)
	f.Add(body)
	f.Add(body[:len(body)-7])
	f.Add(wiretest.ProtobufFrame(f, "BOOKMARK", wiretest.ProtobufEnvelope(f, "v1", "W", wiretest.NewMetadata("a"))))
	f.Add(wiretest.ProtobufFrame(f, "ERROR", wiretest.ProtobufEnvelope(f, "v1", "Status", &metav1.Status{Code: 410})))
	f.Add([]byte("\x00\x00\x00\x02\x0a\x00"))
	c := codecFor[metav1.PartialObjectMetadata](f, Options{KeepManagedFields: true, MaxObjectBytes: 1 << 16})
	f.Fuzz(func(t *testing.T, data []byte) {
		got := requireSameForAllDeliveries(t, data, func(r io.Reader) (outcome, error) {
			events, lost, err := readWatch(t, c, protobufWatchType, r)
			return outcome{events: events, lost: lostNames(t, lost)}, err
		})
		if got.lost != nil {
			return
		}
		for _, event := range got.events {
			length := binary.BigEndian.Uint32(data)
			var frame metav1.WatchEvent
			var envelope runtime.Unknown
			var want metav1.PartialObjectMetadata
			if frame.Unmarshal(data[4:4+length]) != nil || envelope.Unmarshal(frame.Object.Raw[4:]) != nil {
				return // apimachinery decodes more than is needed, and rejects it
			}
			data = data[4+length:]
			require.Equal(t, frame.Type, string(event.Type))
			if event.Type == watch.Bookmark {
				continue
			}
			require.NoError(t, want.Unmarshal(envelope.Raw), "the items are decoded by the same Unmarshal")
			want.TypeMeta = metav1.TypeMeta{Kind: envelope.Kind, APIVersion: envelope.APIVersion}
			require.Equal(t, &want, event.Object)
		}
	})
}

// FuzzDecodeObject checks that a body in either encoding is an object or an error.
func FuzzDecodeObject(f *testing.F) {
	f.Add([]byte(wiretest.JSON(f, wiretest.NewWidget("a"))))
	f.Add([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","details":{"causes":[{}]}}`))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Status","status":"Success"}`))
	f.Add(wiretest.ProtobufEnvelope(f, "v1", "Widget", wiretest.NewMetadata("a")))
	f.Add(wiretest.ProtobufEnvelope(f, "v1", "WidgetList", wiretest.NewMetadata("a")))
	f.Add(wiretest.ProtobufEnvelope(f, "v1", "Status", &metav1.Status{Code: 404}))
	own, plain := codecFor[ownProtobuf](f, Options{}), codecFor[wiretest.Widget](f, Options{})
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		_, err := own.DecodeObject(ProtobufType, data)
		if err != nil && !strings.Contains(err.Error(), "the test makes") {
			noPanic(t, err)
		}
		object, err := plain.DecodeObject(JSONType, data)
		noPanic(t, err)
		require.Equal(t, before, data, "the body was not modified")
		if err != nil {
			return
		}
		want := new(wiretest.Widget)
		if json.Unmarshal(data, want) == nil && bytes.Count(data, []byte(`"`)) < 8 {
			require.Equal(t, want, object)
		}
	})
}
