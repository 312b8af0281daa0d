package rest

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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// aList is a list of widgets with what stands in the items' place.
func aList(items string) string {
	return `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":` + items + `}`
}

func listOfJSON(t testing.TB, c *codec, body string) ([]any, []*ItemError, listMeta, error) {
	t.Helper()
	return readList(t, c, jsonType, strings.NewReader(body))
}

// Promise: the list's metadata and continue token may come before or
// after the items.
func TestAListWithItsKeysInAnyOrder(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	kind, version := `"kind":"WidgetList"`, `"apiVersion":"example.com/v1"`
	meta := `"metadata":{"selfLink":"","resourceVersion":"9","continue":"more","remainingItemCount":12}`
	items := `"items":[` + toJSON(t, aWidget("a")) + "\n , " + toJSON(t, aWidget("b")) + "]"
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
			require.Equal(t, []any{aWidget("a"), aWidget("b")}, got, body)
			require.Equal(t, listMeta{"9", "more", &twelve}, head, body)
		}
	}
}

func TestListsWithoutItems(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	for _, body := range []string{
		aList("[]"), aList("[ ]"), aList("null"),
		`{"metadata":{"resourceVersion":"9","remainingItemCount":null},"items":[]}`,
	} {
		items, lost, meta, err := listOfJSON(t, c, body)
		require.NoError(t, err, body)
		require.Empty(t, items)
		require.Empty(t, lost)
		require.Equal(t, listMeta{resourceVersion: "9"}, meta)
	}
}

// Promise: never a half-filled cache. Wherever a list ends too early,
// that is an error; it also is when what came is something else.
func TestAListIsTheWholeListOrAnError(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	body := aList("[" + toJSON(t, aWidget("a")) + "," + toJSON(t, aWidget("b")) + "]")
	for cut := range len(body) {
		_, lost, _, err := listOfJSON(t, c, body[:cut])
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
		require.ErrorContains(t, err, fmt.Sprintf("at byte %d", cut))
		require.Empty(t, lost)
	}
	for body, why := range map[string]string{
		"":                      "the body is empty",
		" \n ":                  "the body is empty",
		"null":                  "the body is no JSON object: it begins with \"null\"",
		"[]":                    "no JSON object",
		"{}":                    "it is no list",
		`{"kind":"WidgetList"}`: `the server sent a "WidgetList" without items`,
		`{"kind":"APIResourceList","resources":[]}`:       `the server sent a "APIResourceList" without items`,
		`{"metadata":{"continue":"x"},"kind":"XList"}`:    `the server sent a "XList" without items`,
		`{"kind":"Table","columnDefinitions":[]}`:         `the server sent a "Table" without items`,
		toJSON(t, aWidget("a")) + "x":                     "it is no list",
		`{"kind":"Widget","apiVersion":"example.com/v1"}`: `the server sent a "Widget" without items`,
		`{"kind":7}`:                "the list's kind is a number",
		`{"metadata":7,"items":[]}`: "the list's metadata",
		`{"metadata":{"resourceVersion":7},"items":[]}`: "resourceVersion",
		`{"items":{}}`:                     "the list's items are an object",
		`{"items":[],"items":[]}`:          "items twice",
		`{"items":null,"items":[]}`:        "items twice",
		`{"items":[]}{`:                    "after the list there is more",
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

func TestAnErrorSaysWhereInTheBodyAndTheList(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	good := toJSON(t, aWidget("a"))
	body := aList("[" + good + "," + good + `,{"metadata":{"name":"secret","labels":{"a":"b",;}}}]`)
	for _, one := range []bool{false, true} {
		var r io.Reader = strings.NewReader(body)
		if one {
			r = iotest.OneByteReader(r)
		}
		items, _, _, err := readList(t, c, jsonType, r)
		require.Len(t, items, 2)
		require.ErrorContains(t, err, "items[2]")
		require.ErrorContains(t, err, fmt.Sprintf("at byte %d", strings.Index(body, ";")))
		require.NotContains(t, err.Error(), "secret", "what the body holds is nobody's business")
	}
	junk := `{"kind":"WidgetList","junk":{"a":[}}`
	for _, r := range []io.Reader{strings.NewReader(junk), iotest.OneByteReader(strings.NewReader(junk))} {
		_, _, _, err := readList(t, c, jsonType, r)
		require.ErrorContains(t, err, fmt.Sprintf("at byte %d", strings.Index(junk, "}}")))
	}
}

// Promise: a 200 that carries a failure Status.
func TestAStatusInThePlaceOfAList(t *testing.T) {
	c, own := codecFor[wireWidget](t, DecodeOptions{}), codecFor[ownProtobuf](t, DecodeOptions{})
	status := &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Message: "the version is too old", Reason: metav1.StatusReasonExpired, Code: 410,
		Details: &metav1.StatusDetails{Kind: "widgets", RetryAfterSeconds: 3},
	}
	first := `{"kind":"Status","apiVersion":"v1",`
	require.True(t, strings.HasPrefix(toJSON(t, status), first))
	last := "{" + strings.TrimSuffix(strings.TrimPrefix(toJSON(t, status), first), "}") + `,"apiVersion":"v1","kind":"Status"}`
	for _, body := range []string{toJSON(t, status), last} {
		_, _, _, err := listOfJSON(t, c, body)
		require.True(t, apierrors.IsResourceExpired(err), "%v", err)
		var got *apierrors.StatusError
		require.ErrorAs(t, err, &got)
		require.Equal(t, status, &got.ErrStatus)
	}
	_, _, _, err := readList(t, own, protobufType, bytes.NewReader(sealed(t, "v1", "Status", status)))
	require.True(t, apierrors.IsResourceExpired(err), "%v", err)

	_, _, _, err = listOfJSON(t, c, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	require.ErrorContains(t, err, "a Status of success came instead")
	_, _, _, err = listOfJSON(t, c, `{"kind":"Status","items":[]}`)
	require.Error(t, err)
}

// Promise: a mismatch costs one item, which is named, and the list goes on.
func TestAnItemThatDoesNotFitCostsItself(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	good := toJSON(t, aWidget("good"))
	bad := `{"spec":{"size":"large"},"metadata":{"name":"bad","namespace":"shop","uid":"u","resourceVersion":"5","labels":[]}}`
	body := aList("[" + bad + "," + good + "," + bad + `,7,null,"x",[{}],{"metadata":{"name":7,"uid":"v"}},` + good + "]")
	for what, r := range map[string]io.Reader{
		"whole": strings.NewReader(body), "bytes": iotest.OneByteReader(strings.NewReader(body)), "halves": iotest.HalfReader(strings.NewReader(body)),
	} {
		items, lost, meta, err := readList(t, c, jsonType, r)
		require.NoError(t, err, what)
		require.Equal(t, []any{aWidget("good"), aWidget("good")}, items, what)
		require.Equal(t, "9", meta.resourceVersion)
		require.Len(t, lost, 7, what)
		require.Equal(t, ItemError{Namespace: "shop", Name: "bad", UID: "u", ResourceVersion: "5", Err: lost[0].Err}, *lost[0])
		require.ErrorContains(t, lost[0], "decode shop/bad: a string does not fit")
		require.ErrorContains(t, lost[0], "in spec.size")
		require.ErrorContains(t, lost[2], "a number does not fit rest.wireWidget")
		require.ErrorContains(t, lost[3], "null does not fit")
		require.Equal(t, types.UID("v"), lost[6].UID)
		require.ErrorContains(t, lost[6], "metadata.name")
	}
}

func TestAPanicOfATypeCostsItsItem(t *testing.T) {
	c := codecFor[struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              panicsOnJSON `json:"spec"`
	}](t, DecodeOptions{})
	items, lost, _, err := listOfJSON(t, c, aList(`[{"metadata":{"name":"a"},"spec":{}},{"metadata":{"name":"b"},"spec":"panic"},{"metadata":{"name":"c"},"spec":{}}]`))
	require.NoError(t, err)
	require.Len(t, items, 2)
	require.Len(t, lost, 1)
	require.Equal(t, "b", lost[0].Name)
	require.ErrorContains(t, lost[0], "panicked: as it was told")
	require.ErrorContains(t, lost[0], "UnmarshalJSON", "with its stack")
}

type panicsOnJSON struct{}

func (*panicsOnJSON) UnmarshalJSON(data []byte) error {
	if string(data) == `"panic"` {
		panic("as it was told")
	}
	return nil
}

// Promise: unstructured items get the list's apiVersion and kind.
func TestUnstructuredItemsSayWhatTheyAre(t *testing.T) {
	c := codecFor[unstructured.Unstructured](t, DecodeOptions{})
	for body, want := range map[string][2]string{
		aList(`[{"metadata":{"name":"a"}}]`):                                                          {"example.com/v1", "Widget"},
		`{"kind":"GadgetList","apiVersion":"v2","items":[{"metadata":{"name":"a"}}]}`:                 {"v2", "Gadget"},
		`{"items":[{"metadata":{"name":"a"}}],"kind":"GadgetList","apiVersion":"v2"}`:                 {"example.com/v1", "Widget"},
		`{"kind":"List","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`:                       {"example.com/v1", "Widget"},
		aList(`[{"kind":"Widget","apiVersion":"example.com/v0","metadata":{"name":"a"}}]`):            {"example.com/v0", "Widget"},
		aList(`[{"kind":"","apiVersion":"","metadata":{"name":"a"}}]`):                                {"example.com/v1", "Widget"},
		`{"kind":"GadgetList","apiVersion":"v2","items":[{"kind":"Widget","metadata":{"name":"a"}}]}`: {"", "Widget"},
		aList(`[{"apiVersion":"example.com/v0","metadata":{"name":"a"}}]`):                            {"example.com/v0", ""},
	} {
		items, _, _, err := listOfJSON(t, c, body)
		require.NoError(t, err)
		require.Len(t, items, 1)
		u := items[0].(*unstructured.Unstructured)
		require.Equal(t, want, [2]string{u.GetAPIVersion(), u.GetKind()}, body)
		require.Equal(t, "a", u.GetName())
	}
}

// Promise: decoded objects carry TypeMeta exactly when the wire item did.
func TestTypedItemsCarryWhatTheWireDid(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	items, _, _, err := listOfJSON(t, c, aList(`[{"metadata":{}},{"kind":"Widget","apiVersion":"example.com/v1"}]`))
	require.NoError(t, err)
	require.Equal(t, metav1.TypeMeta{}, items[0].(*wireWidget).TypeMeta)
	require.Equal(t, metav1.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"}, items[1].(*wireWidget).TypeMeta)
}

// Promise: managedFields skipped in lists unless asked for.
func TestManagedFieldsInLists(t *testing.T) {
	managed := aWidget("a")
	managed.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}}
	message := &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{{ObjectMeta: managed.ObjectMeta}, {ObjectMeta: managed.ObjectMeta}}}
	for _, keep := range []bool{false, true} {
		o := DecodeOptions{KeepManagedFields: keep}
		items, _, _, err := listOfJSON(t, codecFor[wireWidget](t, o), aList("["+toJSON(t, managed)+"]"))
		require.NoError(t, err)
		want := *managed
		if !keep {
			want.ManagedFields = nil
		}
		require.Equal(t, []any{&want}, items)

		items, _, _, err = readList(t, codecFor[metav1.PartialObjectMetadata](t, o), protobufType, bytes.NewReader(sealed(t, "meta.k8s.io/v1", "PartialObjectMetadataList", message)))
		require.NoError(t, err)
		require.Equal(t, []any{&metav1.PartialObjectMetadata{ObjectMeta: want.ObjectMeta}, &metav1.PartialObjectMetadata{ObjectMeta: want.ObjectMeta}}, items)
	}
}

// DecodeOptions.MaxObjectBytes holds for an object that came at once as well.
func TestTheLimitOfAnObject(t *testing.T) {
	object := toJSON(t, aWidget("a"))
	for _, limit := range []int{len(object), len(object) - 1} {
		c := codecFor[wireWidget](t, DecodeOptions{MaxObjectBytes: int64(limit)})
		body := aList("[" + object + "," + object + "]")
		for _, r := range ways([]byte(body)) {
			items, _, _, err := readList(t, c, jsonType, r)
			if limit == len(object) {
				require.NoError(t, err)
				require.Len(t, items, 2)
			} else {
				require.ErrorContains(t, err, "more than")
				require.Empty(t, items)
			}
		}
		frame := `{"type":"ADDED","object":` + object + "}\n"
		c = codecFor[wireWidget](t, DecodeOptions{MaxObjectBytes: int64(len(frame) - 2 + limit - len(object) + 1)})
		for _, r := range ways([]byte(frame)) {
			events, _, err := readWatch(t, c, jsonType, r)
			if limit == len(object) {
				require.NoError(t, err)
				require.Len(t, events, 1)
			} else {
				require.ErrorContains(t, err, "more than")
			}
		}
	}
}

func TestDroppedFieldsAreTold(t *testing.T) {
	type drop struct{ name, path string }
	var told []drop
	c, err := newCodec(codecFor[wireWidget](t, DecodeOptions{}).typ, wireWidgets, DecodeOptions{}, func(object any, path string) {
		told = append(told, drop{object.(*wireWidget).Name, path})
	})
	require.NoError(t, err)
	more := `{"metadata":{"name":"b","managedFields":[{}]},"spec":{"colour":"red","size":1,"shape":"round"}}`
	_, _, _, err = listOfJSON(t, c, aList(`[{"metadata":{"name":"a","managedFields":[{}]}},`+more+`]`))
	require.NoError(t, err)
	_, _, err = readWatch(t, c, jsonType, strings.NewReader(`{"type":"ADDED","object":`+more+`}`))
	require.NoError(t, err)
	_, err = c.decodeObject(jsonType, []byte(more))
	require.NoError(t, err)
	require.Equal(t, []drop{{"a", ""}, {"b", "spec.colour"}, {"b", "spec.colour"}, {"b", "spec.colour"}}, told)
}

// untagged declares an Unmarshal, and nothing that says what it knows.
type untagged struct {
	metav1.ObjectMeta `json:"metadata"`
}

func (u *untagged) Unmarshal(data []byte) error {
	p := metav1.PartialObjectMetadata{}
	err := p.Unmarshal(data)
	u.ObjectMeta = p.ObjectMeta
	return err
}

// Promise: where it cannot be known what is lost,
// that counts as a loss.
func TestProtobufWithoutTagsCountsAsDropped(t *testing.T) {
	ofAnyKind := wireWidgets
	ofAnyKind.Kind = ""
	for _, keep := range []bool{false, true} {
		var told []string
		c, err := newCodec(reflect.TypeFor[untagged](), ofAnyKind, DecodeOptions{KeepManagedFields: keep}, func(_ any, path string) { told = append(told, path) })
		require.NoError(t, err)
		body, _ := protobufListBody(t)
		items, lost, _, err := readList(t, c, protobufType, bytes.NewReader(body))
		require.NoError(t, err)
		require.Empty(t, lost)
		require.Len(t, items, 3)
		require.Len(t, told, 3)
		require.Contains(t, told[0], "no protobuf tags")
		_, _, _, err = listOfJSON(t, c, aList(`[{"metadata":{"name":"a"}}]`))
		require.NoError(t, err)
		require.Equal(t, "", told[3], "in JSON it is known")
	}
}

// pointed has its metadata behind a pointer.
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

// An object that could not be asked for its version costs itself, and nobody a
// panic.
func TestMetadataBehindAPointer(t *testing.T) {
	c, err := newCodec(reflect.TypeFor[pointed](), wireWidgets, DecodeOptions{}, new(losses).note)
	require.NoError(t, err)
	_, lost, err := watchOfJSON(t, c, `{"type":"ADDED","object":{"x":1}} {"type":"ADDED","object":{"metadata":null}}`)
	require.NoError(t, err)
	require.Len(t, lost, 2)
	require.ErrorContains(t, lost[0], "an object without metadata")
	_, lost, err = readWatch(t, c, protobufWatchType, bytes.NewReader(protobufFrame(t, "ADDED", []byte("k8s\x00\x12\x02\x0a\x00"))))
	require.NoError(t, err)
	require.Len(t, lost, 1)
	require.ErrorContains(t, lost[0], "an object without metadata")

	managed := aWidget("a").ObjectMeta
	managed.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m"}}
	message := &metav1.PartialObjectMetadata{ObjectMeta: managed}
	events, lost, err := watchOfJSON(t, c, jsonFrame(t, "ADDED", message))
	require.NoError(t, err)
	require.Empty(t, lost)
	more, _, err := readWatch(t, c, protobufWatchType, bytes.NewReader(protobufFrame(t, "ADDED", sealed(t, "example.com/v1", "Widget", message))))
	require.NoError(t, err)
	for _, event := range append(events, more...) {
		require.Equal(t, "a", event.object.(*pointed).Name)
		require.Nil(t, event.object.(*pointed).ManagedFields)
	}
	require.Len(t, append(events, more...), 2)
}

func protobufListBody(t testing.TB) (body []byte, want []any) {
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "more", RemainingItemCount: new(int64)}}
	for _, name := range []string{"a", "b", "c"} {
		item := metav1.PartialObjectMetadata{ObjectMeta: aWidget(name).ObjectMeta}
		list.Items = append(list.Items, item)
		want = append(want, &item)
	}
	return sealed(t, "meta.k8s.io/v1", "PartialObjectMetadataList", list), want
}

func TestAProtobufListHoweverItArrives(t *testing.T) {
	c := codecFor[metav1.PartialObjectMetadata](t, DecodeOptions{})
	body, want := protobufListBody(t)
	for cut := range len(body) + 1 {
		items, lost, meta, err := readList(t, c, protobufType, &pieces{string(body[:cut]), string(body[cut:])})
		require.NoError(t, err, "cut at %d", cut)
		require.Empty(t, lost)
		require.Equal(t, want, items, "cut at %d", cut)
		require.Equal(t, listMeta{"9", "more", new(int64)}, meta)
	}
	content := len(toProtobuf(t, &runtime.Unknown{})) // what stands behind the content
	for cut := range len(body) - content {
		_, lost, _, err := readList(t, c, protobufType, bytes.NewReader(body[:cut]))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
		require.Empty(t, lost)
	}
}

func TestAProtobufItemThatDoesNotDecodeCostsItself(t *testing.T) {
	c := codecFor[ownProtobuf](t, DecodeOptions{})
	list := &metav1.PartialObjectMetadataList{}
	for _, told := range []string{"", "panics", "fails", ""} {
		item := metav1.PartialObjectMetadata{ObjectMeta: aWidget("w" + told).ObjectMeta}
		item.Annotations = map[string]string{"unmarshal": told}
		item.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
		list.Items = append(list.Items, item)
	}
	items, lost, _, err := readList(t, c, protobufType, bytes.NewReader(sealed(t, "example.com/v1", "WidgetList", list)))
	require.NoError(t, err)
	require.Len(t, items, 2)
	require.Len(t, lost, 2)
	require.Equal(t, "wpanics", lost[0].Name)
	require.ErrorContains(t, lost[0], "panicked: as it was told")
	require.Equal(t, ItemError{Namespace: "shop", Name: "wfails", UID: "uid-of-wfails", ResourceVersion: "7", Err: lost[1].Err}, *lost[1])
	require.ErrorContains(t, lost[1], "failed as it was told")
}

// Promise: protobuf with lying lengths.
func TestProtobufListsThatAreNone(t *testing.T) {
	c := codecOfAnyKind[metav1.PartialObjectMetadata](t, DecodeOptions{MaxObjectBytes: 1 << 10})
	envelope := func(kind, raw string) string {
		return "k8s\x00" + string(toProtobuf(t, &runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: kind, APIVersion: "v1"}, Raw: []byte(raw)}))
	}
	const head = "k8s\x00\x0a\x07\x12\x05XList"
	for body, why := range map[string]string{
		"":                            "ends too early, at byte 0",
		"k8s":                         "ends too early, at byte 3",
		"k8s\x00":                     "the envelope is empty",
		`{"kind":"PodList"}`:          `is not the protobuf of Kubernetes: it begins with "{\"kind`,
		"k8s\x01\x0a\x00":             "is not the protobuf of Kubernetes",
		head:                          "the envelope is empty",
		head + "\x12\x05":             "ends too early",
		head + "\x12\x05\x12\x7f":     "field 2 of the list says it has 127 bytes, and 3 are left",
		head + "\x12\x02\x12\x82\x01": "of the list",
		head + "\x12\x81\x80":         "ends too early",
		head + "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f": "field 2 of the list says",
		head + "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x12\xff\xff\xff\xff\x0f":                 "an item of more than 1024 bytes",
		head + "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01":                                     "says it has 18446744073709551615 bytes",
		head + "\x1a\xff\xff\xff\xff\x0f":                                                         "a field of the envelope of more than 1024 bytes",
		head + "\x1b":                                                                             "unknown form",
		head + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff":                                         "does not fit into 64 bits",
		"k8s\x00\x0a\x03\x12\x7fX":                                                                "the type in the envelope",
		envelope("XList", "\x0a\x02\x12\x7f"):                                                     "the list's metadata",
		envelope("XList", ""):                                                                     `the server sent a "XList" with neither metadata nor items`,
		envelope("XList", "\x1a\x00"):                                                             `the server sent a "XList" with neither metadata nor items`,
		envelope("", "\x18\x00"):                                                                  `the server sent a "" with neither metadata nor items`,
		envelope("Pod", ""):                                                                       `the server sent a "Pod" and no list`,
		envelope("Table", ""):                                                                     `the server sent a "Table" and no list`,
		"k8s\x00\x12\x00\x0a\x07\x12\x05Table":                                                    `the server sent a "Table" and no list`,
		envelope("XList", "\x0a\x00") + "\x12\x00":                                                "content twice",
		"k8s\x00\x0a\x08\x12\x06Status\x12\xff\xff\xff\xff\x0f":                                   "a Status of more than 1024 bytes",
	} {
		_, lost, _, err := readList(t, c, protobufType, strings.NewReader(body))
		require.ErrorContains(t, err, why, "%q", body)
		require.ErrorContains(t, err, "decode the list", "%q", body)
		require.Empty(t, lost)
	}
	items, _, _, err := readList(t, c, protobufType, strings.NewReader(envelope("XList", "\x0a\x00")))
	require.NoError(t, err, "a list without anything in it but the metadata that it must have")
	require.Empty(t, items)
}

func TestReadersThatAreClosed(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	body := aList("[" + toJSON(t, aWidget("a")) + "," + toJSON(t, aWidget("b")) + "]")
	l, err := c.listReader(jsonType, strings.NewReader(body))
	require.NoError(t, err)
	_, err = l.next()
	require.NoError(t, err)
	l.close()
	l.close()
	_, err = l.next()
	require.ErrorIs(t, err, errReaderClosed)
	require.Equal(t, "9", l.meta().resourceVersion)

	w, err := c.watchReader(jsonType, strings.NewReader(""))
	require.NoError(t, err)
	require.NotNil(t, w.source.(*jsonWatch).s)
	require.Empty(t, c.idle, "the watch works with what the list has left")
	w.close()
	w.close()
	_, err = w.next()
	require.ErrorIs(t, err, errReaderClosed)
	require.Len(t, c.idle, 1)
}

func TestABodyThatIsNotWhatItsTypeSays(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	page := "<!DOCTYPE html>\n<html><title>Log in</title>" + strings.Repeat("<p>please</p>", 10_000)
	for what, read := range map[string]func(contentType, body string) error{
		"list":   func(ct, body string) error { _, _, _, err := readList(t, c, ct, strings.NewReader(body)); return err },
		"watch":  func(ct, body string) error { _, _, err := readWatch(t, c, ct, strings.NewReader(body)); return err },
		"object": func(ct, body string) error { _, err := c.decodeObject(ct, []byte(body)); return err },
	} {
		for _, contentType := range []string{"text/html; charset=utf-8", jsonType} {
			err := read(contentType, page)
			require.ErrorContains(t, err, `"<!DOCTYPE html>\n<html><title>Log in</title>`, what)
			require.Less(t, len(err.Error()), 400, what)
		}
		require.ErrorContains(t, read("text/html", page), "text/html", what)
		require.NotContains(t, errors.Unwrap(fmt.Errorf("%w", read("text/html", ""))).Error(), "begins", what)
	}
}
