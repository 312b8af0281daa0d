package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/wiretest"
)

func watchOfJSON(t testing.TB, c *Codec, body string) ([]Event, []*ItemError, error) {
	t.Helper()
	return readWatch(t, c, JSONType, strings.NewReader(body))
}

// protobufWatchType is the content type of a watch in protobuf.
const protobufWatchType = ProtobufType + ";stream=watch"

// twoFrames returns a watch of two events in both encodings, and the events.
func twoFrames(t testing.TB) (inJSON string, inProtobuf []byte, want []Event, types metav1.TypeMeta) {
	types = metav1.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"}
	for i, typ := range []watch.EventType{watch.Added, watch.Deleted} {
		w := &ownProtobuf{TypeMeta: types, ObjectMeta: wiretest.NewWidget(fmt.Sprint("widget-", i)).ObjectMeta}
		inJSON += wiretest.JSONFrame(t, string(typ), w)
		inProtobuf = append(inProtobuf, wiretest.ProtobufFrame(t, string(typ), wiretest.ProtobufEnvelope(t, types.APIVersion, types.Kind, w.message()))...)
		want = append(want, Event{Type: typ, Object: w, ResourceVersion: "7"})
	}
	return inJSON, inProtobuf, want, types
}

// Promise: the events of a watch do not depend on how its bytes are cut.
func TestAWatchDoesNotDependOnHowItsBytesArrive(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{})
	inJSON, inProtobuf, want, _ := twoFrames(t)
	for contentType, body := range map[string]string{JSONType: inJSON, protobufWatchType: string(inProtobuf)} {
		for cut := range len(body) + 1 {
			events, lost, err := readWatch(t, c, contentType, &chunkedReader{body[:cut], body[cut:]})
			require.NoError(t, err, "%s cut at %d", contentType, cut)
			require.Empty(t, lost)
			require.Equal(t, want, events, "%s cut at %d", contentType, cut)
		}
		for what, r := range map[string]io.Reader{
			"bytes":  iotest.OneByteReader(strings.NewReader(body)),
			"halves": iotest.HalfReader(strings.NewReader(body)),
			"end":    iotest.DataErrReader(strings.NewReader(body)),
		} {
			events, _, err := readWatch(t, c, contentType, r)
			require.NoError(t, err, what)
			require.Equal(t, want, events, what)
		}
	}
}

// An event does not wait for the next one: after its last byte the body is not read
// again.
func TestAnEventIsReturnedWithItsLastByte(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{})
	inJSON, inProtobuf, want, _ := twoFrames(t)
	first := 4 + int(binary.BigEndian.Uint32(inProtobuf))
	for contentType, frames := range map[string][]string{
		JSONType:          {inJSON[:strings.IndexByte(inJSON, '\n')], inJSON[strings.IndexByte(inJSON, '\n'):]},
		protobufWatchType: {string(inProtobuf[:first]), string(inProtobuf[first:])},
	} {
		for cut := range len(frames[0]) {
			tooEarly := errors.New("read for more than was needed")
			body := io.MultiReader(&chunkedReader{frames[0][:cut], frames[0][cut:]}, iotest.ErrReader(tooEarly))
			w, err := c.WatchReader(contentType, body)
			require.NoError(t, err)
			event, err := w.Next()
			require.NoError(t, err, "%s cut at %d", contentType, cut)
			require.Equal(t, want[0], event)
			_, err = w.Next()
			require.ErrorIs(t, err, tooEarly)
			w.Close()
		}
	}
}

// The end of the body between two events ends the watch; an end within an event is an
// error.
func TestTheEndOfAWatch(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{})
	inJSON, inProtobuf, _, _ := twoFrames(t)
	frame := strings.IndexByte(inJSON, '\n')
	between := map[string][]int{
		JSONType:          {0, frame, frame + 1, len(inJSON) - 1, len(inJSON)},
		protobufWatchType: {0, 4 + int(binary.BigEndian.Uint32(inProtobuf)), len(inProtobuf)},
	}
	for contentType, body := range map[string]string{JSONType: inJSON, protobufWatchType: string(inProtobuf)} {
		for cut := range len(body) + 1 {
			for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
				r := io.MultiReader(strings.NewReader(body[:cut]), iotest.ErrReader(end))
				_, lost, err := readWatch(t, c, contentType, r)
				require.Empty(t, lost)
				isBetween := false
				for _, at := range between[contentType] {
					isBetween = isBetween || at == cut
				}
				if isBetween {
					require.NoError(t, err, "%s %v at %d", contentType, end, cut)
					continue
				}
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%s cut at %d", contentType, cut)
				require.ErrorContains(t, err, fmt.Sprintf("of the watch: the body ends too early, at byte %d", cut))
			}
		}
	}
	_, _, err := readWatch(t, c, JSONType, io.MultiReader(strings.NewReader(inJSON), iotest.ErrReader(io.ErrClosedPipe)))
	require.ErrorIs(t, err, io.ErrClosedPipe, "a failure is not the end of the watch")
}

// A server may send white space to keep an idle connection alive. It is not part of an
// event, may be endless, and is not buffered.
func TestWhiteSpaceBetweenEventsIsNotBuffered(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{MaxObjectBytes: 16 << 10})
	body := &generatedBody{head: wiretest.JSONFrame(t, "ADDED", wiretest.NewWidget("a")), body: " \r\n", times: 1 << 20, tail: wiretest.JSONFrame(t, "DELETED", wiretest.NewWidget("a"))}
	took := allocated(func() {
		events, lost, err := readWatch(t, c, JSONType, body)
		require.NoError(t, err)
		require.Empty(t, lost)
		require.Len(t, events, 2)
	})
	require.Less(t, took, int64(1<<20))
}

// An error names its context and its offset in the whole body.
func TestErrorsHaveTheOffsetInTheBody(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	good := wiretest.JSONFrame(t, "ADDED", wiretest.NewWidget("a"))
	for body, about := range map[string]string{
		`{"type":"ERROR","object":{"kind":"Status","code":-+1}}`:    "decode the Status in its place: not JSON",
		`{"object":{"kind":"Status","code":-+1},"type":"ERROR"}`:    "decode the Status in its place: not JSON",
		`{"type":"ADDED","object":{"metadata":{"name":"a",;}}}`:     "not JSON",
		`{"object":{"metadata":{"generation":-+1}},"type":"ADDED"}`: "metadata.generation",
	} {
		_, _, err := watchOfJSON(t, c, good+body)
		require.ErrorContains(t, err, about, body)
		require.ErrorContains(t, err, fmt.Sprintf("at byte %d", len(good)+strings.IndexAny(body, ";+")), body)
	}
	list := `{"kind":"WidgetList","metadata":{"continue":"x","remainingItemCount":-+1}}`
	_, _, _, err := listOfJSON(t, c, list)
	require.ErrorContains(t, err, "the list's metadata: not JSON")
	require.ErrorContains(t, err, fmt.Sprintf("at byte %d", strings.IndexByte(list, '+')))
}

func TestAFrameMayHaveAnyOrderAndWhiteSpace(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	object := wiretest.JSON(t, wiretest.NewWidget("a"))
	want := []Event{{Type: watch.Modified, Object: wiretest.NewWidget("a"), ResourceVersion: "7"}}
	for _, frame := range []string{
		`{"type":"MODIFIED","object":` + object + `}`,
		`{"object":` + object + `,"type":"MODIFIED"}`,
		"\n\n { \"object\" : " + object + "\n,\t\"type\" : \"MODIFIED\" } \r\n",
		`{"new":{"type":"ADDED"},"object":` + object + `,"more":[1,2],"type":"MODIFIED","last":null}`,
		`{"type":"\u004dODIFIED","obj` + `\u0065ct":` + object + `}`,
	} {
		for _, after := range []string{"", "\n"} {
			for _, r := range []io.Reader{strings.NewReader(frame + after), iotest.OneByteReader(strings.NewReader(frame + after))} {
				events, lost, err := readWatch(t, c, JSONType, r)
				require.NoError(t, err, frame)
				require.Empty(t, lost)
				require.Equal(t, want, events, frame)
			}
		}
	}
	events, _, err := watchOfJSON(t, c, `{"type":"ADDED","object":{}}{"type":"ADDED","object":{}}`)
	require.NoError(t, err)
	require.Len(t, events, 2, "no separator is needed between frames")
}

// A server ends a frame with a newline, but a frame may also contain newlines and
// arrive in parts.
func TestFramesOfManyLines(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	for _, frame := range []string{
		"{\n\"type\"\n:\n\"ADDED\"\n,\n\"object\"\n:\n{\n\"metadata\"\n:\n{\n\"name\"\n:\n\"a\"\n}\n}\n}\n",
		"{\n\"object\"\n:\n{\n\"metadata\"\n:\n{\n\"name\"\n:\n\"a\"\n}\n}\n,\n\"type\"\n:\n\"ADDED\"\n}\n",
	} {
		for cut := range len(frame) + 1 {
			events, lost, err := readWatch(t, c, JSONType, &chunkedReader{frame[:cut], frame[cut:]})
			require.NoError(t, err, "cut at %d", cut)
			require.Empty(t, lost)
			require.Len(t, events, 1)
			require.Equal(t, "a", events[0].Object.(*wiretest.Widget).Name)
			_, _, err = readWatch(t, c, JSONType, strings.NewReader(frame[:cut]))
			if cut > 0 && cut < len(frame)-1 {
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
			}
		}
	}
}

func TestInvalidFramesAreErrors(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	for frame, why := range map[string]string{
		`{"type":"RENAMED","object":{}}`:              `unknown type "RENAMED"`,
		`{"object":{},"type":"renamed"}`:              `unknown type "renamed"`,
		`{"type":"` + strings.Repeat("x", 500) + `"}`: `unknown type "xxxxxxxx`,
		`{"type":"","object":{}}`:                     `unknown type ""`,
		`{"type":7,"object":{}}`:                      "not JSON",
		`{"object":{}}`:                               "without a type",
		`{}`:                                          "without a type",
		`{"type":"ADDED"}`:                            "the ADDED event has no object",
		`{"type":"ADDED","object":null}`:              "the ADDED event's object is null",
		`{"object":7,"type":"DELETED"}`:               "the DELETED event's object is a number",
		`{"type":"ADDED","type":"ADDED","object":{}}`: "two types",
		`{"type":"ADDED","object":{},"object":{}}`:    "two objects",
		`{"object":{},"object":{},"type":"ADDED"}`:    "two objects",
		`{"type":"ADDED" "object":{}}`:                "not JSON",
		`{"type":"ADDED","object":{},}`:               "not JSON",
		`{"type" "ADDED","object":{}}`:                "not JSON",
		`{"type":"ADDED","object":{"metadata":{,}}}`:  "not JSON",
		`{"type":"ADDED","object":{]}`:                "not JSON",
		`{:}`:                                         "not JSON",
		`{"type":"ADDED","object":}`:                  "not JSON",
		`[]`:                                          `expected an event, got "[`,
		`,{"type":"ADDED","object":{}}`:               "expected an event",
	} {
		for _, r := range []io.Reader{strings.NewReader(frame), strings.NewReader(frame + "\n"), iotest.OneByteReader(strings.NewReader(frame))} {
			events, lost, err := readWatch(t, c, JSONType, r)
			require.ErrorContains(t, err, why, frame)
			require.ErrorContains(t, err, "decode event 1 of the watch", frame)
			require.Less(t, len(err.Error()), 250, frame)
			require.Empty(t, events, frame)
			require.Empty(t, lost, frame)
		}
	}
}

func TestABookmarkHasAVersionAndNoObject(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{})
	for _, end := range []string{"true", "false", ""} {
		o := &ownProtobuf{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "12"}}
		if end != "" {
			o.Annotations = map[string]string{"a": "b", metav1.InitialEventsAnnotationKey: end}
		}
		want := []Event{{Type: watch.Bookmark, ResourceVersion: "12", InitialEventsEnd: end == "true"}}
		events, lost, err := watchOfJSON(t, c, wiretest.JSONFrame(t, "BOOKMARK", o))
		require.NoError(t, err)
		require.Empty(t, lost)
		require.Equal(t, want, events)
		frame := wiretest.ProtobufFrame(t, "BOOKMARK", wiretest.ProtobufEnvelope(t, "example.com/v1", "Widget", o.message()))
		events, lost, err = readWatch(t, c, protobufWatchType, bytes.NewReader(frame))
		require.NoError(t, err)
		require.Empty(t, lost)
		require.Equal(t, want, events)
	}
	// Other fields of the object are not decoded.
	events, lost, err := watchOfJSON(t, c, `{"type":"BOOKMARK","object":{"kind":7,"metadata":{"name":{},"resourceVersion":"3"}}}`)
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, []Event{{Type: watch.Bookmark, ResourceVersion: "3"}}, events)
}

// Promise: ERROR events become *errors.StatusError.
func TestErrorEventsAreStatusErrors(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{})
	status := &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: "too old", Reason: metav1.StatusReasonExpired, Code: 410,
	}
	first, firstProtobuf, _, _ := twoFrames(t)
	for contentType, body := range map[string]string{
		JSONType:          first + wiretest.JSONFrame(t, "ERROR", status),
		protobufWatchType: string(firstProtobuf) + string(wiretest.ProtobufFrame(t, "ERROR", wiretest.ProtobufEnvelope(t, "v1", "Status", status))),
	} {
		for _, r := range []io.Reader{strings.NewReader(body), iotest.OneByteReader(strings.NewReader(body))} {
			events, _, err := readWatch(t, c, contentType, r)
			require.Len(t, events, 2)
			require.True(t, apierrors.IsResourceExpired(err), "%s: %v", contentType, err)
			require.IsType(t, &apierrors.StatusError{}, err)
			require.Equal(t, "too old", err.Error())
		}
	}
	_, _, err := watchOfJSON(t, c, `{"type":"ERROR","object":{"code":"x"}}`)
	require.ErrorContains(t, err, "decode the Status in its place")
	_, _, err = readWatch(t, c, protobufWatchType, bytes.NewReader(wiretest.ProtobufFrame(t, "ERROR", wiretest.ProtobufEnvelope(t, "v1", "Pod", status))))
	require.ErrorContains(t, err, `the ERROR event has a "Pod" instead of a Status`)
}

func TestAnEventOfAWrongTypeLosesOnlyItself(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	bad := `"object":{"spec":{"size":"large"},"metadata":{"name":"bad","namespace":"shop","uid":"u","resourceVersion":"5"}}`
	body := `{"type":"MODIFIED",` + bad + "}\n{" + bad + `,"type":"DELETED"}` + `{"type":"BOOKMARK","object":{"metadata":{"name":"b","resourceVersion":7}}}` + wiretest.JSONFrame(t, "ADDED", wiretest.NewWidget("good"))
	for _, r := range []io.Reader{strings.NewReader(body), iotest.OneByteReader(strings.NewReader(body))} {
		events, lost, err := readWatch(t, c, JSONType, r)
		require.NoError(t, err)
		require.Equal(t, []Event{{Type: watch.Added, Object: wiretest.NewWidget("good"), ResourceVersion: "7"}}, events)
		require.Len(t, lost, 3)
		require.Equal(t, ItemError{Type: watch.Modified, Namespace: "shop", Name: "bad", UID: "u", ResourceVersion: "5", Err: lost[0].Err}, *lost[0])
		require.Equal(t, watch.Deleted, lost[1].Type)
		require.ErrorContains(t, lost[1], "decode DELETED event of shop/bad: a string does not fit")
		require.ErrorContains(t, lost[1], "in spec.size")
		require.Equal(t, watch.Bookmark, lost[2].Type)
	}

	own := codecFor[ownProtobuf](t, Options{})
	var frames []byte
	for _, behaviour := range []string{"fails", "panics", ""} {
		o := &ownProtobuf{ObjectMeta: wiretest.NewWidget("w" + behaviour).ObjectMeta}
		o.Annotations = map[string]string{"unmarshal": behaviour}
		frames = append(frames, wiretest.ProtobufFrame(t, "MODIFIED", wiretest.ProtobufEnvelope(t, "example.com/v1", "Widget", o.message()))...)
	}
	events, lost, err := readWatch(t, own, protobufWatchType, bytes.NewReader(frames))
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Len(t, lost, 2)
	require.Equal(t, ItemError{Type: watch.Modified, Namespace: "shop", Name: "wfails", UID: "uid-of-wfails", ResourceVersion: "7", Err: lost[0].Err}, *lost[0])
	require.ErrorContains(t, lost[1], "panicked")
}

// Promise: protobuf with wrong lengths, or a frame of 100 MB, is an error.
func TestInvalidProtobufFramesAreErrors(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{MaxObjectBytes: 1 << 10})
	frame := func(content string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(content)))) + content
	}
	object := string(wiretest.ProtobufEnvelope(t, "v1", "Widget", &metav1.PartialObjectMetadata{}))
	for body, why := range map[string]string{
		"\x00\x00\x00\x00":                                            "an empty frame",
		"\x00\x00\x04\x01":                                            "a frame of 1025 bytes: of more than 1024 bytes",
		"\xff\xff\xff\xff\x0a":                                        "a frame of 4294967295 bytes: of more than 1024 bytes",
		`{"type":"ADDED","object":{}}`:                                "a frame of 2065855609 bytes",
		frame("\x0a\x7fADDED"):                                        "field 1 has 127 bytes, 5 are left",
		frame("\x0a\x05ADDED"):                                        "the ADDED event has no object",
		frame("\x12\x00"):                                             `unknown type ""`,
		frame("\x0a\x03BAD\x12\x00"):                                  `unknown type "BAD"`,
		frame("\x0a\x05ADDED\x12\x00"):                                "the ADDED event has no object",
		frame("\x0a\x05ADDED\x12\x02\x0a\x7f"):                        "the event's object: protobuf message is truncated",
		frame("\x0a\x05ADDED\x12\x02\x0a\x00"):                        "the magic number is missing",
		frame("\x0a\x05ADDED\x12\x08\x0a\x06k8s\x00\x12\x7f"):         "protobuf envelope, byte 4",
		frame("\x0a\x05ADDED\x12\x08\x0a\x06" + object[:6]):           "protobuf envelope, byte 4",
		frame("\x0a\x05ADDED\x12\x0a\x0a\x08k8s\x00\x0a\x02\x0a\x7f"): "protobuf envelope, TypeMeta",
		frame("\x0b\x05ADDED"):                                        "unknown wire type 3",
	} {
		events, lost, err := readWatch(t, c, protobufWatchType, strings.NewReader(body))
		require.ErrorContains(t, err, why, "%q", body)
		require.ErrorContains(t, err, "decode event 1 of the watch", "%q", body)
		require.Empty(t, events)
		require.Empty(t, lost)
	}
}

// The type of the objects of a watch is allocated once.
func TestProtobufEventsShareTheirType(t *testing.T) {
	c := codecFor[ownProtobuf](t, Options{})
	_, body, _, _ := twoFrames(t)
	one := body[:4+int(binary.BigEndian.Uint32(body))]
	w, err := c.WatchReader(protobufWatchType, &generatedBody{body: string(one), times: -1})
	require.NoError(t, err)
	defer w.Close()
	_, err = w.Next()
	require.NoError(t, err)
	with := testing.AllocsPerRun(200, func() { _, _ = w.Next() })
	raw := wiretest.Protobuf(t, &metav1.PartialObjectMetadata{ObjectMeta: wiretest.NewWidget("widget-0").ObjectMeta})
	bare := testing.AllocsPerRun(200, func() { _ = new(ownProtobuf).Unmarshal(raw) }) + 1 // the object itself
	require.Equal(t, bare, with)
}

// A watch receives a bookmark each minute. A bookmark does not free the scratch buffer
// that later events use.
func TestBookmarksKeepTheScratchBuffer(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	widget := wiretest.NewWidget("a")
	widget.OwnerReferences = []metav1.OwnerReference{{Name: "o"}}
	event, bookmark := []byte(wiretest.JSONFrame(t, "ADDED", widget)), []byte(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"3"}}}`+"\n")
	w := newJSONWatch(c, c.streamScratch(encodingJSON), strings.NewReader(""))
	defer w.close()
	frames := func(frames ...[]byte) float64 {
		return testing.AllocsPerRun(100, func() {
			for _, frame := range frames {
				_, _, err := w.frame(frame)
				require.NoError(t, err)
			}
		})
	}
	require.Equal(t, frames(event)+frames(bookmark), frames(event, bookmark))
}
