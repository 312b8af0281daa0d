package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// BenchmarkReaders reads lists and watches of 100 objects, from the response body to
// List.Items and Watch.Next. The figures are those of one list or watch. The benchmark of
// the same name in internal/wire measures the decoders alone, by object.
func BenchmarkReaders(b *testing.B) {
	const objects = 100
	var names []string
	var framesJSON, framesProtobuf strings.Builder
	for i := range objects {
		names = append(names, fmt.Sprintf("widget-%d", i))
		widget := wiretest.NewWidget(names[i])
		framesJSON.WriteString(wiretest.JSONFrame(b, "ADDED", widget))
		message := &metav1.PartialObjectMetadata{ObjectMeta: widget.ObjectMeta}
		framesProtobuf.Write(wiretest.ProtobufFrame(b, "ADDED", wiretest.ProtobufEnvelope(b, "v1", "Widget", message)))
	}
	for _, c := range []struct{ name, list, watch string }{
		{"json", listJSON(b, "", names...), framesJSON.String()},
		{"protobuf", listProtobuf(b, "", names...), framesProtobuf.String()},
	} {
		send := func(_ context.Context, opts metav1.ListOptions, _ string) (io.ReadCloser, error) {
			if opts.Watch {
				return io.NopCloser(strings.NewReader(c.watch)), nil
			}
			return io.NopCloser(strings.NewReader(c.list)), nil
		}
		source, err := NewRawListWatch[any](send, RawListWatchOptions{Type: reflect.TypeFor[*metav1.PartialObjectMetadata]()})
		require.NoError(b, err)
		b.Run(c.name+"/list", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.list)))
			for b.Loop() {
				list, err := source.List(b.Context(), metav1.ListOptions{})
				require.NoError(b, err)
				read := 0
				for _, err := range list.Items() {
					if err != nil {
						b.Fatal(err)
					}
					read++
				}
				require.Equal(b, objects, read)
			}
		})
		b.Run(c.name+"/watch", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.watch)))
			for b.Loop() {
				w, err := source.Watch(b.Context(), metav1.ListOptions{})
				require.NoError(b, err)
				for range objects {
					if _, err := w.Next(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := w.Next(b.Context()); !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
				w.Stop()
			}
		})
	}
}
