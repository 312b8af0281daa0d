package rest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// slimWidget has no field for what it says to be.
type slimWidget struct {
	SlimMeta `json:"metadata"`
}

// selfWidget decodes itself.
type selfWidget struct {
	SlimMeta `json:"metadata"`
}

func (w *selfWidget) UnmarshalJSON(data []byte) error {
	var slim slimWidget
	err := json.Unmarshal(data, &slim)
	w.SlimMeta = slim.SlimMeta
	return err
}

// oddWidget has a kind that is no string.
type oddWidget struct {
	SlimMeta `json:"metadata"`
	Kind     map[string]string `json:"kind"`
}

// saying is an object that says it is what types has, in JSON.
func saying(types string) string {
	return `{` + types + `"metadata":{"namespace":"shop","name":"a","uid":"u","resourceVersion":"7"}}`
}

// Promise: where the kind is known, an object of another kind or group costs
// itself and no more, whatever T is: it is not taken for one of the right kind.
func TestObjectsOfAnotherKind(t *testing.T) {
	codecs := map[string]*codec{
		"a struct":         codecFor[wireWidget](t, DecodeOptions{}),
		"a slim type":      codecFor[slimWidget](t, DecodeOptions{}),
		"decoding itself":  codecFor[selfWidget](t, DecodeOptions{}),
		"unstructured":     codecFor[unstructured.Unstructured](t, DecodeOptions{}),
		"metadata":         codecFor[metav1.PartialObjectMetadata](t, DecodeOptions{}),
		"of any kind":      codecOfAnyKind[wireWidget](t, DecodeOptions{}),
		"slim of any kind": codecOfAnyKind[slimWidget](t, DecodeOptions{}),
	}
	for _, c := range []struct {
		name, types string
		// wrong is a part of the error; "" if the object is what was asked for.
		wrong string
		// metadata is whether a server says so of metadata alone.
		metadata bool
	}{
		{name: "it does not say", types: ``},
		{name: "it says so", types: `"kind":"Widget","apiVersion":"example.com/v1",`},
		{name: "in another version", types: `"kind":"Widget","apiVersion":"example.com/v2beta1",`},
		{name: "the kind alone", types: `"kind":"Widget",`},
		{name: "the group alone", types: `"apiVersion":"example.com/v1",`},
		{name: "empty", types: `"kind":"","apiVersion":"",`},
		{name: "null", types: `"kind":null,"apiVersion":null,`},
		{name: "another kind", types: `"kind":"Gadget","apiVersion":"example.com/v1",`, wrong: `an object of the kind "Gadget" does not fit the kind "Widget"`},
		{name: "another kind alone", types: `"kind":"Gadget",`, wrong: `kind "Gadget"`},
		{name: "in other letters", types: `"kind":"widget",`, wrong: `kind "widget"`},
		{name: "escaped", types: `"kind":"\u0047adget",`, wrong: `kind "Gadget"`},
		{name: "spelled with escapes", types: `"kind":"\u0057idget",`},
		{name: "another group", types: `"apiVersion":"example.org/v1","kind":"Widget",`, wrong: `an object of the group "example.org" does not fit the group "example.com"`},
		{name: "a group that begins alike", types: `"apiVersion":"example.com.evil/v1",`, wrong: `group "example.com.evil"`},
		{name: "the core group", types: `"apiVersion":"v1",`, wrong: `an object of the core group does not fit`},
		{name: "a Status", types: `"kind":"Status","apiVersion":"v1",`, wrong: `kind "Status"`},
		{name: "metadata alone", types: `"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",`, wrong: `kind "PartialObjectMetadata"`, metadata: true},
	} {
		for name, codec := range codecs {
			t.Run(c.name+" as "+name, func(t *testing.T) {
				wrong := c.wrong
				if codec.expected == nil || codec.metadataOnly && c.metadata {
					wrong = ""
				}
				good := saying("")
				items, lost, _, err := listOfJSON(t, codec, aList("["+good+","+saying(c.types)+","+good+"]"))
				require.NoError(t, err)
				oneIsLost(t, wrong, "", 3, len(items), lost)

				for _, typ := range []string{"ADDED", "MODIFIED", "DELETED"} {
					frame := `{"type":"` + typ + `","object":`
					body := frame + good + "}\n" + frame + saying(c.types) + "}\n" + frame + good + "}\n"
					for _, body := range []string{body, swapped(body, typ)} {
						events, lost, err := readWatch(t, codec, jsonType, strings.NewReader(body))
						require.NoError(t, err)
						oneIsLost(t, wrong, watch.EventType(typ), 3, len(events), lost)
					}
				}
			})
		}
	}
}

// swapped has the object of each frame before the type.
func swapped(body, typ string) string {
	body = strings.ReplaceAll(body, `{"type":"`+typ+`","object":`, `{"object":`)
	return strings.ReplaceAll(body, "}\n", `,"type":"`+typ+"\"}\n")
}

// oneIsLost checks that one of all was lost, with its whole identity, or none.
func oneIsLost(t *testing.T, wrong string, typ watch.EventType, all, kept int, lost []*ItemError) {
	t.Helper()
	if wrong == "" {
		require.Empty(t, lost)
		require.Equal(t, all, kept)
		return
	}
	require.Equal(t, all-1, kept, "it costs itself and no more")
	require.Len(t, lost, 1)
	require.ErrorContains(t, lost[0], wrong)
	lost[0].Err = nil
	require.Equal(t, &ItemError{Type: typ, Namespace: "shop", Name: "a", UID: "u", ResourceVersion: "7"}, lost[0])
}

// In protobuf only events say what they are.
func TestEventsOfAnotherKindInProtobuf(t *testing.T) {
	object := metav1.ObjectMeta{Namespace: "shop", Name: "a", UID: types.UID("u"), ResourceVersion: "7"}
	message := &metav1.PartialObjectMetadata{ObjectMeta: object}
	codecs := map[string]*codec{
		"a struct":    codecFor[ownProtobuf](t, DecodeOptions{}),
		"metadata":    codecFor[metav1.PartialObjectMetadata](t, DecodeOptions{}),
		"of any kind": codecOfAnyKind[ownProtobuf](t, DecodeOptions{}),
	}
	for _, c := range []struct{ apiVersion, kind, wrong string }{
		{"", "", ""},
		{"example.com/v1", "Widget", ""},
		{"example.com/v2", "Widget", ""},
		{"example.com/v1", "Gadget", `an object of the kind "Gadget" does not fit the kind "Widget"`},
		{"", "Gadget", `kind "Gadget"`},
		{"v1", "Widget", "the core group does not fit"},
		{"v1", "Status", `kind "Status"`},
		{"meta.k8s.io/v1", "PartialObjectMetadata", `kind "PartialObjectMetadata"`},
	} {
		for name, codec := range codecs {
			t.Run(c.apiVersion+" "+c.kind+" as "+name, func(t *testing.T) {
				wrong := c.wrong
				if codec.expected == nil || codec.metadataOnly && c.kind == "PartialObjectMetadata" {
					wrong = ""
				}
				for _, typ := range []string{"ADDED", "MODIFIED", "DELETED"} {
					var body []byte
					for _, object := range [][]byte{
						sealed(t, "example.com/v1", "Widget", message), sealed(t, c.apiVersion, c.kind, message),
						sealed(t, "example.com/v1", "Widget", message),
					} {
						body = append(body, protobufFrame(t, typ, object)...)
					}
					events, lost, err := readWatch(t, codec, protobufWatchType, bytes.NewReader(body))
					require.NoError(t, err)
					oneIsLost(t, wrong, watch.EventType(typ), 3, len(events), lost)
				}
			})
		}
	}
}

// The items of a list in protobuf are what the list is of, and read as something
// else they would be nonsense: such a list is no list at all.
func TestListsOfAnotherKindInProtobuf(t *testing.T) {
	list := &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}}
	codecs := map[string]*codec{
		"a struct":    codecFor[ownProtobuf](t, DecodeOptions{}),
		"metadata":    codecFor[metav1.PartialObjectMetadata](t, DecodeOptions{}),
		"of any kind": codecOfAnyKind[ownProtobuf](t, DecodeOptions{}),
	}
	for _, c := range []struct{ apiVersion, kind, wrong string }{
		{"", "", ""},
		{"example.com/v1", "WidgetList", ""},
		{"example.com/v2", "WidgetList", ""},
		{"v1", "List", ""},
		{"example.com/v1", "GadgetList", `a list of others: an object of the kind "Gadget" does not fit the kind "Widget"`},
		{"v1", "WidgetList", "the core group does not fit"},
		{"meta.k8s.io/v1", "PartialObjectMetadataList", `kind "PartialObjectMetadata"`},
	} {
		for name, codec := range codecs {
			t.Run(c.apiVersion+" "+c.kind+" as "+name, func(t *testing.T) {
				items, lost, _, err := readList(t, codec, protobufType, bytes.NewReader(sealed(t, c.apiVersion, c.kind, list)))
				require.Empty(t, lost)
				if c.wrong == "" || codec.expected == nil || codec.metadataOnly && c.kind == "PartialObjectMetadataList" {
					require.NoError(t, err)
					require.Len(t, items, 1)
					return
				}
				require.ErrorContains(t, err, c.wrong)
				require.Empty(t, items)
			})
		}
	}
}

// Promise: what is reported lost is named as far as it can be read, above all in
// a DELETED event, whose object nobody will name again.
func TestALostDeletionNamesItsObject(t *testing.T) {
	whole := ItemError{Type: watch.Deleted, Namespace: "shop", Name: "a", UID: "u", ResourceVersion: "7"}
	withoutUID := whole
	withoutUID.UID = ""
	for name, c := range map[string]struct {
		object string
		want   ItemError
	}{
		"a field of another type":    {`{"spec":{"size":"x"},"metadata":{"namespace":"shop","name":"a","uid":"u","resourceVersion":"7"}}`, whole},
		"after the metadata":         {`{"metadata":{"namespace":"shop","name":"a","uid":"u","resourceVersion":"7"},"spec":[]}`, whole},
		"another kind":               {saying(`"kind":"Gadget",`), whole},
		"metadata of another type":   {`{"metadata":{"labels":"x","namespace":"shop","name":"a","uid":"u","resourceVersion":"7"}}`, whole},
		"an identity that is broken": {`{"metadata":{"uid":5,"namespace":"shop","name":"a","resourceVersion":"7"}}`, withoutUID},
		"nothing to be read":         {`{"metadata":[]}`, ItemError{Type: watch.Deleted}},
	} {
		t.Run(name, func(t *testing.T) {
			c2 := codecFor[wireWidget](t, DecodeOptions{})
			for _, body := range []string{`{"type":"DELETED","object":` + c.object + "}\n", `{"object":` + c.object + `,"type":"DELETED"}`} {
				_, lost, err := readWatch(t, c2, jsonType, strings.NewReader(body))
				require.NoError(t, err)
				require.Len(t, lost, 1)
				require.Error(t, lost[0].Err)
				lost[0].Err = nil
				require.Equal(t, &c.want, lost[0])
			}
		})
	}
}

// A field of the name kind that is no string says nothing of what the object is,
// and neither does one further inside.
func TestAKindThatIsNone(t *testing.T) {
	items, lost, _, err := listOfJSON(t, codecFor[oddWidget](t, DecodeOptions{}), aList(`[{"kind":{"a":"b"}}]`))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, "b", items[0].(*oddWidget).Kind["a"])
	for _, codec := range []*codec{codecFor[wireWidget](t, DecodeOptions{}), codecFor[unstructured.Unstructured](t, DecodeOptions{}), codecFor[selfWidget](t, DecodeOptions{})} {
		items, lost, _, err := listOfJSON(t, codec, aList(`[{"kind":"Widget","spec":{"kind":"Gadget","apiVersion":"x/v1"}}]`))
		require.NoError(t, err)
		require.Empty(t, lost)
		require.Len(t, items, 1)
	}
}

// A single object is what its path says, in whatever group it is written: the
// scale of a deployment is of autoscaling. What a list has been held to does not
// hold for it.
func TestTheGroupOfASingleObjectIsNotLookedAt(t *testing.T) {
	c := codecFor[wireWidget](t, DecodeOptions{})
	_, lost, _, err := listOfJSON(t, c, aList("["+saying(`"apiVersion":"autoscaling/v1",`)+"]"))
	require.NoError(t, err)
	require.Len(t, lost, 1)
	object, err := c.decodeObject(jsonType, []byte(saying(`"kind":"Widget","apiVersion":"autoscaling/v1",`)))
	require.NoError(t, err)
	require.Equal(t, "a", object.(*wireWidget).Name)
}

// brittle panics where its document says so.
type brittle struct {
	SlimMeta `json:"metadata"`
	Spec     panicsOnJSON `json:"spec"`
}

// An object that makes its type panic costs itself; the next one is looked at as
// the ones before.
func TestWhatIsExpectedOutlivesAPanic(t *testing.T) {
	_, lost, _, err := listOfJSON(t, codecFor[brittle](t, DecodeOptions{}), aList(`[{"spec":"panic"},`+saying(`"kind":"Gadget",`)+"]"))
	require.NoError(t, err)
	require.Len(t, lost, 2)
	require.ErrorContains(t, lost[1], `kind "Gadget"`)
}
