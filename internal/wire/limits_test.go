package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/internal/pbobj"
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

// priced has a quantity, in JSON and in protobuf.
type priced struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
	Price             resource.Quantity `json:"price" protobuf:"bytes,2,opt,name=price"`
}

func (p *priced) Unmarshal(data []byte) error {
	for len(data) > 0 {
		h, content, n, err := pbobj.Next(data)
		if err != nil {
			return err
		}
		data = data[n:]
		switch h.Number {
		case 1:
			err = p.ObjectMeta.Unmarshal(content)
		case 2:
			err = p.Price.Unmarshal(content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pricedAt returns the protobuf of a priced whose name is its price.
func pricedAt(t testing.TB, price string) []byte {
	meta := wiretest.Protobuf(t, &metav1.ObjectMeta{Name: price})
	data := append([]byte{1<<3 | 2, byte(len(meta))}, meta...)
	return append(append(data, 2<<3|2, byte(2+len(price)), 1<<3|2, byte(len(price))), price...)
}

// Parsing a quantity of eleven bytes can take half a minute of CPU time. Such a
// quantity is rejected, and only its item is lost.
func TestQuantitiesThatAreExpensiveToParseAreRejected(t *testing.T) {
	c := codecFor[priced](t, Options{})
	var raw []byte
	for _, price := range []string{"1e-99999999", "2500m"} {
		item := pricedAt(t, price)
		raw = append(append(raw, 2<<3|2, byte(len(item))), item...)
	}
	list := wiretest.Protobuf(t, &runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "WidgetList"}, Raw: append([]byte{1<<3 | 2, 0}, raw...)})
	begun := time.Now()
	for contentType, body := range map[string]string{
		JSONType:     listWithItems(`[{"metadata":{"name":"1e-99999999"},"price":"1e-99999999"},{"metadata":{"name":"2500m"},"price":"2500m"}]`),
		ProtobufType: "k8s\x00" + string(list),
	} {
		items, lost, _, err := readList(t, c, contentType, strings.NewReader(body))
		require.NoError(t, err, contentType)
		require.Len(t, lost, 1, contentType)
		require.Equal(t, "1e-99999999", lost[0].Name)
		require.ErrorContains(t, lost[0], "quantity exponent exceeds the limit of 100")
		require.Len(t, items, 1)
		require.EqualValues(t, 2500, items[0].(*priced).Price.MilliValue())
	}
	require.Less(t, time.Since(begun), 30*time.Second)
}

// Promise: messages do not grow with the body.
func TestMessagesDoNotGrowWithTheBody(t *testing.T) {
	typed, untyped := codecFor[wiretest.Widget](t, Options{}), codecFor[unstructured.Unstructured](t, Options{})
	digits := strings.Repeat("9", 8<<20)
	text := `"` + digits + `"`
	for _, item := range []string{
		`{"spec":{"size":` + digits + `}}`, `{"spec":{"size":` + text + `}}`, `{"spec":{"extra":{` + text + `:1}}}`, `{"a":` + digits + `}`,
		`{"metadata":{"name":` + text + `,"namespace":` + text + `},"spec":{"size":"x"},"a":` + digits + `}`,
		`{"metadata":{"creationTimestamp":` + text + `}}`, `{"metadata":{"generation":-1` + digits + `}}`, `{` + text + `:{"a":tru}}`, text, digits,
	} {
		for _, c := range []*Codec{typed, untyped} {
			for contentType, body := range map[string]string{"list": listWithItems("[" + item + "]"), "watch": `{"type":"ADDED","object":` + item + "}"} {
				var lost []*ItemError
				var err error
				if contentType == "list" {
					_, lost, _, err = listOfJSON(t, c, body)
				} else {
					_, lost, err = watchOfJSON(t, c, body)
				}
				for _, one := range lost {
					require.Less(t, len(one.Error()), 1500, item[:20])
				}
				if err != nil {
					require.Less(t, len(err.Error()), 1500, item[:20])
				}
			}
			_, err := c.DecodeObject(JSONType, []byte(item))
			if err != nil {
				require.Less(t, len(err.Error()), 1500, item[:20])
			}
		}
	}
	for _, body := range []string{
		`{"kind":` + text + `}`, `{"metadata":{"remainingItemCount":` + digits + `}}`, `{"metadata":{"continue":` + digits + `}}`, digits, text, `{"apiVersion":` + digits + `}`,
	} {
		_, _, _, err := listOfJSON(t, typed, body)
		require.Error(t, err, body[:20])
		require.Less(t, len(err.Error()), 1500, body[:20])
	}
}

// echoingWidget returns its input in the error.
type echoingWidget struct {
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
}

func (*echoingWidget) Unmarshal(data []byte) error {
	if bytes.Contains(data, []byte("panic")) {
		panic(string(data))
	}
	return fmt.Errorf("invalid: %s", data)
}

func TestMessagesDoNotGrowWithTheErrorOfUnmarshal(t *testing.T) {
	c := codecFor[echoingWidget](t, Options{})
	for _, name := range []string{"panic", "error"} {
		object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name + strings.Repeat("9", 8<<20)}}
		_, err := c.DecodeObject(ProtobufType, wiretest.ProtobufEnvelope(t, "v1", "Widget", object))
		require.Error(t, err)
		shown, _, _ := strings.Cut(err.Error(), "\n") // without the stack
		require.Less(t, len(shown), 1000)
	}
}

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

// Invalid UTF-8, duplicate keys and numbers out of range have the same result as in
// apimachinery, or lose one item. They never end the stream.
func TestInvalidValuesDoNotEndAList(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	items, lost, _, err := listOfJSON(t, c, listWithItems(`[`+
		`{"metadata":{"name":"invalid `+"\xff\xfe"+` utf-8 \ud800"}},`+
		`{"metadata":{"name":"one"},"metadata":{"name":"two"}},`+
		`{"metadata":{"name":"range"},"spec":{"size":3000000000}},`+
		`{"metadata":{"name":"fraction"},"spec":{"size":1.5}},`+
		`{"metadata":{"name":"last"}}]`))
	require.NoError(t, err)
	require.Len(t, items, 3)
	require.Equal(t, "invalid \ufffd\ufffd utf-8 \ufffd", items[0].(*wiretest.Widget).Name)
	require.Equal(t, "two", items[1].(*wiretest.Widget).Name)
	require.Equal(t, "last", items[2].(*wiretest.Widget).Name)
	require.Len(t, lost, 2)
	require.Equal(t, "range", lost[0].Name)
	require.ErrorContains(t, lost[0], "in spec.size")
	require.Equal(t, "fraction", lost[1].Name)
}

func TestAPanicOfTheBodyIsNotRecovered(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	l, err := c.ListReader(JSONType, panickingBody{})
	require.NoError(t, err)
	defer l.Close()
	require.Panics(t, func() { _, _ = l.Next() }, "only panics of Unmarshal methods are recovered")
}

type panickingBody struct{}

func (panickingBody) Read([]byte) (int, error) { panic(errors.New("the test makes it panic")) }

// Promise: callers can distinguish a response that cannot be decoded from an
// incomplete one, for which a retry may help.
func TestUndecodableBodiesAreDistinguishedFromIncompleteOnes(t *testing.T) {
	c := codecFor[metav1.PartialObjectMetadata](t, Options{})
	list := func(contentType string, body io.Reader) error {
		_, _, _, err := readList(t, c, contentType, body)
		return err
	}
	watch := func(contentType string, body io.Reader) error {
		_, _, err := readWatch(t, c, contentType, body)
		return err
	}
	for name, c := range map[string]struct {
		read              func(string, io.Reader) error
		contentType, body string
	}{
		"a list of JSON":      {list, JSONType, `{}`},
		"a list of protobuf":  {list, ProtobufType, "k8s\x00\x12\x00\x0a\x07\x12\x05Table"},
		"a watch of JSON":     {watch, JSONType, `{}`},
		"a watch of protobuf": {watch, protobufWatchType, "\x00\x00\x00\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			var wrong interface{ Undecodable() bool }
			err := c.read(c.contentType, strings.NewReader(c.body))
			require.ErrorAs(t, err, &wrong)
			require.True(t, wrong.Undecodable())
			for _, broken := range []error{syscall.ECONNRESET, io.ErrUnexpectedEOF, context.DeadlineExceeded} {
				err := c.read(c.contentType, io.MultiReader(strings.NewReader(c.body[:1]), iotest.ErrReader(broken)))
				require.ErrorIs(t, err, broken)
				require.False(t, errors.As(err, &wrong), "%v", err)
			}
		})
	}
}
