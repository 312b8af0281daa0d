package wire

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/internal/wiretest"
)

// benchItems returns objects of the size of a pod, with some variety.
func benchItems(n int) (items []metav1.PartialObjectMetadata) {
	for i := range n {
		meta := wiretest.NewWidget(fmt.Sprint("widget-", i)).ObjectMeta
		meta.Annotations = map[string]string{}
		for k := range 30 {
			meta.Annotations[fmt.Sprintf("example.com/annotation-%d", k)] = fmt.Sprintf("%d: value of some length, %d", i, k)
		}
		meta.ManagedFields = []metav1.ManagedFieldsEntry{{
			Manager: "manager", Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(strings.Repeat(`{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":0,"f:s":`, 30) + "1" + strings.Repeat("}", 30)),
		}}
		items = append(items, metav1.PartialObjectMetadata{ObjectMeta: meta})
	}
	return items
}

const benchLen = 500

// The overhead of a reader is the difference between an item or an event and the
// bare decoding of its value.
func BenchmarkReaders(b *testing.B) {
	items := benchItems(benchLen)
	inJSON, inProtobuf := make([][]byte, benchLen), make([][]byte, benchLen)
	var framesJSON, framesProtobuf []byte
	for i := range items {
		inJSON[i], inProtobuf[i] = []byte(wiretest.JSON(b, items[i])), wiretest.Protobuf(b, &items[i])
		framesJSON = fmt.Appendf(framesJSON, "{\"type\":\"ADDED\",\"object\":%s}\n", inJSON[i])
		framesProtobuf = append(framesProtobuf, wiretest.ProtobufFrame(b, "ADDED", wiretest.ProtobufEnvelope(b, "example.com/v1", "Widget", &items[i]))...)
	}
	listJSON := []byte(`{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"1"},"items":[` + string(bytes.Join(inJSON, []byte(","))) + "]}")
	listProtobuf := wiretest.ProtobufEnvelope(b, "example.com/v1", "WidgetList", &metav1.PartialObjectMetadataList{Items: items})
	c := codecFor[metav1.PartialObjectMetadata](b, Options{})
	s := c.getScratch(false, true)

	each := func(b *testing.B, size int, one func(i int)) {
		b.Helper()
		b.ReportAllocs()
		b.SetBytes(int64(size / benchLen))
		for i := 0; b.Loop(); i++ {
			one(i % benchLen)
		}
	}
	b.Run("json/bare", func(b *testing.B) {
		each(b, len(listJSON), func(i int) {
			_, _, err := c.decodeJSON(s, inJSON[i])
			if err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("json/skip", func(b *testing.B) {
		each(b, len(listJSON), func(i int) { _, _ = jsonobj.Skip(inJSON[i], 0) })
	})
	list := func(contentType string, body []byte) func(b *testing.B) {
		return func(b *testing.B) {
			var l *ListReader
			var r bytes.Reader
			each(b, len(body), func(i int) {
				if i == 0 {
					if l != nil {
						_, err := l.Next()
						require.Equal(b, io.EOF, err)
						l.Close()
					}
					r.Reset(body)
					l, _ = c.ListReader(contentType, &r)
				}
				_, err := l.Next()
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	b.Run("json/list", list(JSONType, listJSON))
	watch := func(contentType string, body []byte) func(b *testing.B) {
		return func(b *testing.B) {
			var w *WatchReader
			var r bytes.Reader
			each(b, len(body), func(i int) {
				if i == 0 {
					if w != nil {
						w.Close()
					}
					r.Reset(body)
					w, _ = c.WatchReader(contentType, &r)
				}
				_, err := w.Next()
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	b.Run("json/watch", watch(JSONType, framesJSON))
	b.Run("protobuf/bare", func(b *testing.B) {
		each(b, len(listProtobuf), func(i int) {
			o := new(metav1.PartialObjectMetadata)
			if err := o.Unmarshal(inProtobuf[i]); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("protobuf/list", list(ProtobufType, listProtobuf))
	b.Run("protobuf/watch", watch(protobufWatchType, framesProtobuf))
}
