package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// allocated returns the number of bytes that f allocates.
func allocated(f func()) int64 {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	f()
	goruntime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Promise: a hostile server causes a clear error and bounded memory use. Each body is
// endless or larger than the limit for one object.
func TestHostileBodiesEndInAnErrorAndBoundedMemory(t *testing.T) {
	const limit = 128 << 10
	o := Options{MaxObjectBytes: limit}
	name := `{"kind":"WidgetList","items":[{"metadata":{"name":"`
	frame := `{"type":"ADDED","object":{"metadata":{"name":"`
	tooLong := fmt.Sprintf("more than %d bytes (DecodeOptions.MaxObjectBytes)", limit)
	forever := func(head, body string) *generatedBody { return &generatedBody{head: head, body: body, times: -1} }
	for what, c := range map[string]struct {
		body *generatedBody
		why  string
	}{
		"list: an endless string":               {forever(name, "x"), tooLong},
		"list: an endless escape":               {forever(name, `\\`), tooLong},
		"list: an endless string, skipped":      {forever(`{"kind":"WidgetList","items":[{"unknown":"`, "x"), tooLong},
		"list: an endless string outside items": {forever(`{"kind":"WidgetList","unknown":"`, "x"), tooLong},
		"list: an endless key":                  {forever(`{"`, "x"), tooLong},
		"list: an endless kind":                 {forever(`{"kind":"`, "x"), tooLong},
		"list: endless metadata":                {forever(`{"metadata":{"continue":"`, "x"), tooLong},
		"list: an endless message":              {forever(`{"kind":"Status","message":"`, "x"), tooLong},
		"list: endless messages":                {forever(`{"kind":"Status"`, `,"message":"twenty bytes long"`), "a Status of " + tooLong},
		"list: an endless number":               {forever(`{"kind":"WidgetList","items":[{"spec":{"size":`, "1"), tooLong},
		"list: an item with endless fields":     {forever(`{"kind":"WidgetList","items":[{`, `"a":1,`), tooLong},
		"list: endless white space":             {forever(`{"kind":"WidgetList","items":[`, " "), tooLong},
		"list: endless leading white space":     {forever("", "\n"), tooLong},
		"list: endless trailing white space":    {forever(listWithItems("[]"), "\n"), tooLong},
		"list: endless nesting":                 {forever(`{"kind":"WidgetList","items":[{"metadata":{"labels":`, `{"a":`), "nested deeper than"},
		"list: endless nesting, skipped":        {forever(`{"kind":"WidgetList","items":[{"unknown":`, "["), "nested deeper than"},
		"list: endless nesting outside items":   {forever(`{"unknown":`, `[{"a":`), "nested deeper than"},
		"list: only brackets":                   {forever("", "["), "not a JSON object"},
		"watch: an endless string":              {forever(frame, "x"), tooLong},
		"watch: an endless string and newlines": {forever(frame, "\\n \n"), "not JSON"},
		"watch: an endless type":                {forever(`{"type":"`, "x"), tooLong},
		"watch: an endless unknown field":       {forever(`{"unknown":"`, "x"), tooLong},
		"watch: endless white space":            {forever(`{"type" `, "\n"), tooLong},
		"watch: endless nesting":                {forever(`{"type":"ADDED","object":{"metadata":{"labels":`, `{"a":`), "nested deeper than"},
		"watch: an object before its type":      {forever(`{"object":{"a":"`, "x"), tooLong},
		"object: 10,000 levels, skipped":        {&generatedBody{head: `{"unknown":`, body: "[", tail: strings.Repeat("]", 10_000) + "}", times: 10_000}, "nested deeper than"},
		"object: 10,000 levels":                 {&generatedBody{head: `{"metadata":{"labels":`, body: `{"a":`, times: 10_000}, ""},
	} {
		codecs := map[string]*Codec{"typed": codecFor[wiretest.Widget](t, o), "unstructured": codecFor[unstructured.Unstructured](t, o)}
		for which, codec := range codecs {
			body := *c.body
			var err error
			took := allocated(func() {
				switch kind, _, _ := strings.Cut(what, ":"); kind {
				case "list":
					_, _, _, err = readList(t, codec, JSONType, &body)
				case "watch":
					_, _, err = readWatch(t, codec, JSONType, &body)
				default:
					whole, _ := io.ReadAll(&body)
					_, err = codec.DecodeObject(JSONType, whole)
				}
			})
			require.ErrorContains(t, err, c.why, "%s, %s", what, which)
			require.Less(t, len(err.Error()), 6000, what)
			// The buffer doubles up to the limit; unstructured content takes several times
			// its bytes.
			require.Less(t, took, int64(16*limit+1<<20), "%s, %s", what, which)
		}
	}
}

// Promise: a watch frame of 100 MB is an error.
func TestAFrameOf100MBIsAnError(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{})
	body := &generatedBody{head: `{"type":"ADDED","object":{"metadata":{"name":"`, body: "0123456789", times: 10_000_000, tail: `"}}}`}
	took := allocated(func() {
		_, _, err := readWatch(t, c, JSONType, body)
		require.ErrorContains(t, err, "more than 33554432 bytes")
	})
	require.Less(t, took, int64(100<<20), "the buffer is bounded by the limit")

	took = allocated(func() {
		frame := &generatedBody{head: string(binary.BigEndian.AppendUint32(nil, 100_000_000)), body: "0123456789", times: 10_000_000}
		_, _, err := readWatch(t, c, protobufWatchType, frame)
		require.ErrorContains(t, err, "a frame of 100000000 bytes: of more than 33554432 bytes")
	})
	require.Less(t, took, int64(1<<20), "a length is rejected before memory is allocated")

	took = allocated(func() {
		frame := string(binary.BigEndian.AppendUint32(nil, 30<<20)) + "and nothing more"
		_, _, err := readWatch(t, c, protobufWatchType, strings.NewReader(frame))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	})
	require.Less(t, took, int64(1<<20), "memory for an allowed length is allocated as the bytes arrive")
}
