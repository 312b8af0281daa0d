package wire

import (
	"io"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// A list has no limit on its length, because no item is retained.
func TestAListStreamsInBoundedMemory(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	const items = 25_000
	body := &generatedBody{head: `{"kind":"WidgetList","metadata":{"resourceVersion":"9"},"items":[{}`, body: "," + wiretest.JSON(t, wiretest.NewWidget("a")), times: items, tail: "]}"}
	l, err := c.ListReader(JSONType, body)
	require.NoError(t, err)
	defer l.Close()
	goruntime.GC()
	var before, during goruntime.MemStats
	goruntime.ReadMemStats(&before)
	count := 0
	for ; ; count++ {
		_, err := l.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if count%10_000 == 5000 {
			goruntime.GC()
			goruntime.ReadMemStats(&during)
			require.Less(t, int64(during.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20), "after %d items", count)
		}
	}
	require.Equal(t, items+1, count)
}

// Promise: an item does not retain its body. If a caller retains one small object of a
// response, the large objects and the buffer are garbage collected.
func TestARetainedItemRetainsNoOtherMemory(t *testing.T) {
	o := Options{ShareStrings: ShareAlways}
	large := ownProtobuf{ObjectMeta: metav1.ObjectMeta{Name: "large", Annotations: map[string]string{"a": strings.Repeat("x", 1<<20)}}}
	small := ownProtobuf{ObjectMeta: wiretest.NewWidget("small").ObjectMeta}
	inJSON := wiretest.JSONFrame(t, "ADDED", large) + wiretest.JSONFrame(t, "ADDED", small)
	inProtobuf := wiretest.ProtobufFrame(t, "ADDED", wiretest.ProtobufEnvelope(t, "example.com/v1", "Widget", large.message()))
	inProtobuf = append(inProtobuf, wiretest.ProtobufFrame(t, "ADDED", wiretest.ProtobufEnvelope(t, "example.com/v1", "Widget", small.message()))...)
	listJSON := listWithItems("[" + wiretest.JSON(t, large) + "," + wiretest.JSON(t, small) + "]")
	listProtobuf := wiretest.ProtobufEnvelope(t, "example.com/v1", "WidgetList", &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{*large.message(), *small.message()}})

	collected := make(chan string, 16)
	watched := func(what string, buf []byte) {
		goruntime.AddCleanup(&buf[0], func(what string) { collected <- what }, what)
	}
	wanted := map[string]bool{}
	watchWindow := func(what string, w *window) {
		for part, buf := range map[string][]byte{"small": w.initial, "large": w.buf} {
			wanted[what+part] = true
			watched(what+part, buf)
		}
		require.Greater(t, len(w.buf), len(w.initial), what)
	}
	var retained []any
	for contentType, body := range map[string]string{JSONType: inJSON, protobufWatchType: string(inProtobuf)} {
		w, err := codecFor[ownProtobuf](t, o).WatchReader(contentType, strings.NewReader(body))
		require.NoError(t, err)
		_, err = w.Next()
		require.NoError(t, err)
		event, err := w.Next()
		require.NoError(t, err)
		retained = append(retained, event.Object)
		if inJSON, ok := w.source.(*jsonWatch); ok {
			watchWindow("json watch ", &inJSON.window)
		} else {
			watchWindow("protobuf watch ", &w.source.(*protobufWatch).window)
		}
		w.Close()
	}
	for contentType, body := range map[string]string{JSONType: listJSON, ProtobufType: string(listProtobuf)} {
		l, err := codecFor[ownProtobuf](t, o).ListReader(contentType, strings.NewReader(body))
		require.NoError(t, err)
		_, err = l.Next()
		require.NoError(t, err)
		item, err := l.Next()
		require.NoError(t, err)
		retained = append(retained, item)
		if inJSON, ok := l.source.(*jsonList); ok {
			watchWindow("json list ", &inJSON.window)
		} else {
			watchWindow("protobuf list ", &l.source.(*protobufList).window)
		}
		l.Close()
	}
	for rounds := 0; len(wanted) > 0; rounds++ {
		require.Less(t, rounds, 1000, "still alive: %v", wanted)
		goruntime.GC()
		goruntime.Gosched()
		for len(collected) > 0 {
			delete(wanted, <-collected)
		}
	}
	for _, object := range retained {
		require.Equal(t, "small", object.(*ownProtobuf).Name)
	}
	goruntime.KeepAlive(retained)
}
