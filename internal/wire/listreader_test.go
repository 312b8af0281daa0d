package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/pbobj"
	"github.com/thinformer/thinformer/internal/wiretest"
)

// listWithItems returns a list of widgets with the given JSON as its items.
func listWithItems(items string) string {
	return `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":` + items + `}`
}

func listOfJSON(t testing.TB, c *Codec, body string) ([]any, []*ItemError, ListMeta, error) {
	t.Helper()
	return readList(t, c, JSONType, strings.NewReader(body))
}

// Promise: the metadata and the continue token of a list may precede or follow the
// items.
func TestAListWithItsKeysInAnyOrder(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	kind, version := `"kind":"WidgetList"`, `"apiVersion":"example.com/v1"`
	meta := `"metadata":{"selfLink":"","resourceVersion":"9","continue":"more","remainingItemCount":12}`
	items := `"items":[` + wiretest.JSON(t, wiretest.NewWidget("a")) + "\n , " + wiretest.JSON(t, wiretest.NewWidget("b")) + "]"
	odd := `"odd":{"items":[{"metadata":{"name":"not me"}}]}`
	twelve := int64(12)
	for _, fields := range [][]string{
		{kind, version, meta, items}, {meta, items, kind, version}, {items, meta, version, kind},
		{odd, items, odd, meta, kind, odd, version}, {items, meta}, {meta, kind, odd, items},
	} {
		for _, between := range []string{",", " ,\n\t"} {
			body := " {" + strings.Join(fields, between) + "} \n"
			got, lost, head, err := listOfJSON(t, c, body)
			require.NoError(t, err, body)
			require.Empty(t, lost)
			require.Equal(t, []any{wiretest.NewWidget("a"), wiretest.NewWidget("b")}, got, body)
			require.Equal(t, ListMeta{"9", "more", &twelve}, head, body)
		}
	}
}

func TestListsWithoutItems(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	for _, body := range []string{
		listWithItems("[]"), listWithItems("[ ]"), listWithItems("null"),
		`{"metadata":{"resourceVersion":"9","remainingItemCount":null},"items":[]}`,
	} {
		items, lost, meta, err := listOfJSON(t, c, body)
		require.NoError(t, err, body)
		require.Empty(t, items)
		require.Empty(t, lost)
		require.Equal(t, ListMeta{ResourceVersion: "9"}, meta)
	}
}

// Promise: a cache is never filled with an incomplete list. A list that ends too early
// is an error, and so is a body that is not a list.
func TestAListIsCompleteOrAnError(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	body := listWithItems("[" + wiretest.JSON(t, wiretest.NewWidget("a")) + "," + wiretest.JSON(t, wiretest.NewWidget("b")) + "]")
	for cut := range len(body) {
		_, lost, _, err := listOfJSON(t, c, body[:cut])
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
		require.ErrorContains(t, err, fmt.Sprintf("at byte %d", cut))
		require.Empty(t, lost)
	}
	for body, why := range map[string]string{
		"":                      "the body is empty",
		" \n ":                  "the body is empty",
		"null":                  "the body is not a JSON object: it begins with \"null\"",
		"[]":                    "not a JSON object",
		"{}":                    "it is not a list",
		`{"kind":"WidgetList"}`: `the server sent a "WidgetList" without items`,
		`{"kind":"APIResourceList","resources":[]}`:       `the server sent a "APIResourceList" without items`,
		`{"metadata":{"continue":"x"},"kind":"XList"}`:    `the server sent a "XList" without items`,
		`{"kind":"Table","columnDefinitions":[]}`:         `the server sent a "Table" without items`,
		wiretest.JSON(t, wiretest.NewWidget("a")) + "x":   "it is not a list",
		`{"kind":"Widget","apiVersion":"example.com/v1"}`: `the server sent a "Widget" without items`,
		`{"kind":7}`:                "the list's kind is a number",
		`{"metadata":7,"items":[]}`: "the list's metadata",
		`{"metadata":{"resourceVersion":7},"items":[]}`: "resourceVersion",
		`{"items":{}}`:                     "the list's items are an object",
		`{"items":[],"items":[]}`:          "items twice",
		`{"items":null,"items":[]}`:        "items twice",
		`{"items":[]}{`:                    "unexpected data after the list",
		`{"items":[],}`:                    "not JSON",
		`{"items":[] "kind":"WidgetList"}`: "not JSON",
		`{"items" []}`:                     "not JSON",
		`{items:[]}`:                       "not JSON",
		`{"items":[{}{}]}`:                 "not JSON",
		`{"items":[{},]}`:                  "not JSON",
		`{"items":[,{}]}`:                  "not JSON",
		`{"items":[{]}`:                    "not JSON",
		`{"items":[{"metadata":{"name":"a"},,"spec":{}}]}`:     "not JSON",
		`{"items":[{"metadata":{"name":"a` + "\n" + `"}}]}`:    "not JSON",
		`{"kind":"WidgetList","items":[{"spec":{"size":1e}}]}`: "not JSON",
	} {
		_, _, _, err := listOfJSON(t, c, body)
		require.ErrorContains(t, err, why, body)
		require.NotEqual(t, io.EOF, err, body)
		require.ErrorContains(t, err, "decode the list", body)
		require.NotErrorIs(t, err, io.EOF)
	}
}

func TestAnErrorHasTheOffsetInTheBodyAndTheList(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	good := wiretest.JSON(t, wiretest.NewWidget("a"))
	body := listWithItems("[" + good + "," + good + `,{"metadata":{"name":"secret","labels":{"a":"b",;}}}]`)
	for _, one := range []bool{false, true} {
		var r io.Reader = strings.NewReader(body)
		if one {
			r = iotest.OneByteReader(r)
		}
		items, _, _, err := readList(t, c, JSONType, r)
		require.Len(t, items, 2)
		require.ErrorContains(t, err, "items[2]")
		require.ErrorContains(t, err, fmt.Sprintf("at byte %d", strings.Index(body, ";")))
		require.NotContains(t, err.Error(), "secret", "the error does not quote the body")
	}
	junk := `{"kind":"WidgetList","junk":{"a":[}}`
	for _, r := range []io.Reader{strings.NewReader(junk), iotest.OneByteReader(strings.NewReader(junk))} {
		_, _, _, err := readList(t, c, JSONType, r)
		require.ErrorContains(t, err, fmt.Sprintf("at byte %d", strings.Index(junk, "}}")))
	}
}

// Promise: a failure Status in a 200 response is an error.
func TestAStatusInsteadOfAListIsAnError(t *testing.T) {
	c, own := codecFor[wiretest.Widget](t, Options{}), codecFor[ownProtobuf](t, Options{})
	status := &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Message: "the version is too old", Reason: metav1.StatusReasonExpired, Code: 410,
		Details: &metav1.StatusDetails{Kind: "widgets", RetryAfterSeconds: 3},
	}
	first := `{"kind":"Status","apiVersion":"v1",`
	require.True(t, strings.HasPrefix(wiretest.JSON(t, status), first))
	last := "{" + strings.TrimSuffix(strings.TrimPrefix(wiretest.JSON(t, status), first), "}") + `,"apiVersion":"v1","kind":"Status"}`
	for _, body := range []string{wiretest.JSON(t, status), last} {
		_, _, _, err := listOfJSON(t, c, body)
		require.True(t, apierrors.IsResourceExpired(err), "%v", err)
		var got *apierrors.StatusError
		require.ErrorAs(t, err, &got)
		require.Equal(t, status, &got.ErrStatus)
	}
	_, _, _, err := readList(t, own, ProtobufType, bytes.NewReader(wiretest.ProtobufEnvelope(t, "v1", "Status", status)))
	require.True(t, apierrors.IsResourceExpired(err), "%v", err)

	_, _, _, err = listOfJSON(t, c, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	require.ErrorContains(t, err, "got a Status of success instead")
	_, _, _, err = listOfJSON(t, c, `{"kind":"Status","items":[]}`)
	require.Error(t, err)
}

// Promise: an item of a wrong type is skipped, and its error names it. The list
// continues.
func TestAnItemOfAWrongTypeLosesOnlyItself(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	good := wiretest.JSON(t, wiretest.NewWidget("good"))
	bad := `{"spec":{"size":"large"},"metadata":{"name":"bad","namespace":"shop","uid":"u","resourceVersion":"5","labels":[]}}`
	body := listWithItems("[" + bad + "," + good + "," + bad + `,7,null,"x",[{}],{"metadata":{"name":7,"uid":"v"}},` + good + "]")
	for what, r := range map[string]io.Reader{
		"whole": strings.NewReader(body), "bytes": iotest.OneByteReader(strings.NewReader(body)), "halves": iotest.HalfReader(strings.NewReader(body)),
	} {
		items, lost, meta, err := readList(t, c, JSONType, r)
		require.NoError(t, err, what)
		require.Equal(t, []any{wiretest.NewWidget("good"), wiretest.NewWidget("good")}, items, what)
		require.Equal(t, "9", meta.ResourceVersion)
		require.Len(t, lost, 7, what)
		require.Equal(t, ItemError{Namespace: "shop", Name: "bad", UID: "u", ResourceVersion: "5", Err: lost[0].Err}, *lost[0])
		require.ErrorContains(t, lost[0], "decode shop/bad: a string does not fit")
		require.ErrorContains(t, lost[0], "in spec.size")
		require.ErrorContains(t, lost[2], "a number does not fit wiretest.Widget")
		require.ErrorContains(t, lost[3], "null does not fit")
		require.Equal(t, types.UID("v"), lost[6].UID)
		require.ErrorContains(t, lost[6], "metadata.name")
	}
}

func TestAPanicOfUnmarshalJSONLosesOnlyItsItem(t *testing.T) {
	c := codecFor[struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              panicsOnJSON `json:"spec"`
	}](t, Options{})
	items, lost, _, err := listOfJSON(t, c, listWithItems(`[{"metadata":{"name":"a"},"spec":{}},{"metadata":{"name":"b"},"spec":"panic"},{"metadata":{"name":"c"},"spec":{}}]`))
	require.NoError(t, err)
	require.Len(t, items, 2)
	require.Len(t, lost, 1)
	require.Equal(t, "b", lost[0].Name)
	require.ErrorContains(t, lost[0], "panicked: the test makes it panic")
	require.ErrorContains(t, lost[0], "UnmarshalJSON", "the error has the stack")
}

type panicsOnJSON struct{}

func (*panicsOnJSON) UnmarshalJSON(data []byte) error {
	if string(data) == `"panic"` {
		panic("the test makes it panic")
	}
	return nil
}

// Promise: unstructured items get the apiVersion and kind of the list.
func TestUnstructuredItemsHaveKindAndAPIVersion(t *testing.T) {
	c := codecFor[unstructured.Unstructured](t, Options{})
	for body, want := range map[string][2]string{
		listWithItems(`[{"metadata":{"name":"a"}}]`):                                                  {"example.com/v1", "Widget"},
		`{"kind":"GadgetList","apiVersion":"v2","items":[{"metadata":{"name":"a"}}]}`:                 {"v2", "Gadget"},
		`{"items":[{"metadata":{"name":"a"}}],"kind":"GadgetList","apiVersion":"v2"}`:                 {"example.com/v1", "Widget"},
		`{"kind":"List","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`:                       {"example.com/v1", "Widget"},
		listWithItems(`[{"kind":"Widget","apiVersion":"example.com/v0","metadata":{"name":"a"}}]`):    {"example.com/v0", "Widget"},
		listWithItems(`[{"kind":"","apiVersion":"","metadata":{"name":"a"}}]`):                        {"example.com/v1", "Widget"},
		`{"kind":"GadgetList","apiVersion":"v2","items":[{"kind":"Widget","metadata":{"name":"a"}}]}`: {"", "Widget"},
		listWithItems(`[{"apiVersion":"example.com/v0","metadata":{"name":"a"}}]`):                    {"example.com/v0", ""},
	} {
		items, _, _, err := listOfJSON(t, c, body)
		require.NoError(t, err)
		require.Len(t, items, 1)
		u := items[0].(*unstructured.Unstructured)
		require.Equal(t, want, [2]string{u.GetAPIVersion(), u.GetKind()}, body)
		require.Equal(t, "a", u.GetName())
	}
}

// Promise: decoded objects have TypeMeta exactly if the item on the wire has it.
func TestTypedItemsHaveTheTypeMetaOfTheWire(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	items, _, _, err := listOfJSON(t, c, listWithItems(`[{"metadata":{}},{"kind":"Widget","apiVersion":"example.com/v1"}]`))
	require.NoError(t, err)
	require.Equal(t, metav1.TypeMeta{}, items[0].(*wiretest.Widget).TypeMeta)
	require.Equal(t, metav1.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"}, items[1].(*wiretest.Widget).TypeMeta)
}

// Promise: lists skip managedFields by default.
func TestListsSkipManagedFieldsByDefault(t *testing.T) {
	managed := wiretest.NewWidget("a")
	managed.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}}
	message := &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{{ObjectMeta: managed.ObjectMeta}, {ObjectMeta: managed.ObjectMeta}}}
	for _, keep := range []bool{false, true} {
		o := Options{KeepManagedFields: keep}
		items, _, _, err := listOfJSON(t, codecFor[wiretest.Widget](t, o), listWithItems("["+wiretest.JSON(t, managed)+"]"))
		require.NoError(t, err)
		want := *managed
		if !keep {
			want.ManagedFields = nil
		}
		require.Equal(t, []any{&want}, items)

		items, _, _, err = readList(t, codecFor[metav1.PartialObjectMetadata](t, o), ProtobufType, bytes.NewReader(wiretest.ProtobufEnvelope(t, "meta.k8s.io/v1", "PartialObjectMetadataList", message)))
		require.NoError(t, err)
		require.Equal(t, []any{&metav1.PartialObjectMetadata{ObjectMeta: want.ObjectMeta}, &metav1.PartialObjectMetadata{ObjectMeta: want.ObjectMeta}}, items)
	}
}

// DecodeOptions.MaxObjectBytes also limits an object that arrives in one read.
func TestMaxObjectBytesLimitsAnObjectThatArrivesInOneRead(t *testing.T) {
	object := wiretest.JSON(t, wiretest.NewWidget("a"))
	for _, limit := range []int{len(object), len(object) - 1} {
		c := codecFor[wiretest.Widget](t, Options{MaxObjectBytes: int64(limit)})
		body := listWithItems("[" + object + "," + object + "]")
		for _, r := range deliveries([]byte(body)) {
			items, _, _, err := readList(t, c, JSONType, r)
			if limit == len(object) {
				require.NoError(t, err)
				require.Len(t, items, 2)
			} else {
				require.ErrorContains(t, err, "more than")
				require.Empty(t, items)
			}
		}
		frame := `{"type":"ADDED","object":` + object + "}\n"
		c = codecFor[wiretest.Widget](t, Options{MaxObjectBytes: int64(len(frame) - 2 + limit - len(object) + 1)})
		for _, r := range deliveries([]byte(frame)) {
			events, _, err := readWatch(t, c, JSONType, r)
			if limit == len(object) {
				require.NoError(t, err)
				require.Len(t, events, 1)
			} else {
				require.ErrorContains(t, err, "more than")
			}
		}
	}
}

// pointed has a pointer to its metadata.
type pointed struct {
	*metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
}

func (p *pointed) Unmarshal(data []byte) error {
	_, content, _, err := pbobj.Next(data)
	if err != nil || len(content) == 0 {
		return err
	}
	p.ObjectMeta = new(metav1.ObjectMeta)
	return p.ObjectMeta.Unmarshal(content)
}

// A type may have a pointer to its metadata, which is nil for an object without
// metadata. Such an object loses only itself, and does not panic.
func TestAnObjectWithoutMetadataLosesOnlyItself(t *testing.T) {
	c, err := NewCodec(reflect.TypeFor[pointed](), widgetKind, Options{}, func(object any, _ Dropped) { _ = object.(Object).GetUID() })
	require.NoError(t, err)
	_, lost, err := watchOfJSON(t, c, `{"type":"ADDED","object":{"x":1}} {"type":"ADDED","object":{"metadata":null}}`)
	require.NoError(t, err)
	require.Len(t, lost, 2)
	require.ErrorContains(t, lost[0], "an object without metadata")
	_, lost, err = readWatch(t, c, protobufWatchType, bytes.NewReader(wiretest.ProtobufFrame(t, "ADDED", []byte("k8s\x00\x12\x02\x0a\x00"))))
	require.NoError(t, err)
	require.Len(t, lost, 1)
	require.ErrorContains(t, lost[0], "an object without metadata")

	managed := wiretest.NewWidget("a").ObjectMeta
	managed.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m"}}
	message := &metav1.PartialObjectMetadata{ObjectMeta: managed}
	events, lost, err := watchOfJSON(t, c, wiretest.JSONFrame(t, "ADDED", message))
	require.NoError(t, err)
	require.Empty(t, lost)
	more, _, err := readWatch(t, c, protobufWatchType, bytes.NewReader(wiretest.ProtobufFrame(t, "ADDED", wiretest.ProtobufEnvelope(t, "example.com/v1", "Widget", message))))
	require.NoError(t, err)
	for _, event := range append(events, more...) {
		require.Equal(t, "a", event.Object.(*pointed).Name)
		require.Nil(t, event.Object.(*pointed).ManagedFields)
	}
	require.Len(t, append(events, more...), 2)
}

func TestNextAfterCloseIsAnError(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	body := listWithItems("[" + wiretest.JSON(t, wiretest.NewWidget("a")) + "," + wiretest.JSON(t, wiretest.NewWidget("b")) + "]")
	l, err := c.ListReader(JSONType, strings.NewReader(body))
	require.NoError(t, err)
	_, err = l.Next()
	require.NoError(t, err)
	l.Close()
	l.Close()
	_, err = l.Next()
	require.ErrorIs(t, err, errReaderClosed)
	require.Equal(t, "9", l.Meta().ResourceVersion)

	w, err := c.WatchReader(JSONType, strings.NewReader(""))
	require.NoError(t, err)
	require.NotNil(t, w.source.(*jsonWatch).s)
	require.Empty(t, c.idle, "a watch reuses the buffers of the list")
	w.Close()
	w.Close()
	_, err = w.Next()
	require.ErrorIs(t, err, errReaderClosed)
	require.Len(t, c.idle, 1)
}

func TestTheErrorForAnUnexpectedBodyShowsItsBeginning(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	page := "<!DOCTYPE html>\n<html><title>Log in</title>" + strings.Repeat("<p>please</p>", 10_000)
	for what, read := range map[string]func(contentType, body string) error{
		"list":   func(ct, body string) error { _, _, _, err := readList(t, c, ct, strings.NewReader(body)); return err },
		"watch":  func(ct, body string) error { _, _, err := readWatch(t, c, ct, strings.NewReader(body)); return err },
		"object": func(ct, body string) error { _, err := c.DecodeObject(ct, []byte(body)); return err },
	} {
		for _, contentType := range []string{"text/html; charset=utf-8", JSONType} {
			err := read(contentType, page)
			require.ErrorContains(t, err, `"<!DOCTYPE html>\n<html><title>Log in</title>`, what)
			require.Less(t, len(err.Error()), 400, what)
		}
		require.ErrorContains(t, read("text/html", page), "text/html", what)
		require.NotContains(t, errors.Unwrap(fmt.Errorf("%w", read("text/html", ""))).Error(), "begins", what)
	}
}
