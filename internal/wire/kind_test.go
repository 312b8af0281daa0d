package wire

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

	"github.com/thinformer/thinformer/internal/wiretest"
)

// SlimMeta is rest.SlimMeta.
type SlimMeta struct {
	Name            string    `json:"name,omitempty"`
	Namespace       string    `json:"namespace,omitempty"`
	UID             types.UID `json:"uid,omitempty"`
	ResourceVersion string    `json:"resourceVersion,omitempty"`
}

func (m *SlimMeta) GetName() string            { return m.Name }
func (m *SlimMeta) GetNamespace() string       { return m.Namespace }
func (m *SlimMeta) GetUID() types.UID          { return m.UID }
func (m *SlimMeta) GetResourceVersion() string { return m.ResourceVersion }

// slimWidget has no fields for kind and apiVersion.
type slimWidget struct {
	SlimMeta `json:"metadata"`
}

// selfWidget implements json.Unmarshaler.
type selfWidget struct {
	SlimMeta `json:"metadata"`
}

func (w *selfWidget) UnmarshalJSON(data []byte) error {
	var slim slimWidget
	err := json.Unmarshal(data, &slim)
	w.SlimMeta = slim.SlimMeta
	return err
}

// oddWidget has a kind that is not a string.
type oddWidget struct {
	SlimMeta `json:"metadata"`
	Kind     map[string]string `json:"kind"`
}

// widgetOfType returns the JSON of an object with the kind and apiVersion of types.
func widgetOfType(types string) string {
	return `{` + types + `"metadata":{"namespace":"shop","name":"a","uid":"u","resourceVersion":"7"}}`
}

// Promise: if the kind is known, an object of another kind or group loses only
// itself, for every T. It is not decoded as the expected kind.
func TestAnObjectOfAnotherKindLosesOnlyItself(t *testing.T) {
	codecs := map[string]*Codec{
		"a struct":          codecFor[wiretest.Widget](t, Options{}),
		"a slim type":       codecFor[slimWidget](t, Options{}),
		"own UnmarshalJSON": codecFor[selfWidget](t, Options{}),
		"unstructured":      codecFor[unstructured.Unstructured](t, Options{}),
		"metadata":          codecFor[metav1.PartialObjectMetadata](t, Options{}),
		"of any kind":       codecOfAnyKind[wiretest.Widget](t, Options{}),
		"slim of any kind":  codecOfAnyKind[slimWidget](t, Options{}),
	}
	for _, c := range []struct {
		name, types string
		// wrong is part of the error; "" if the object has the expected kind.
		wrong string
		// metadata is set if a server sends this kind for metadata-only requests.
		metadata bool
	}{
		{name: "no kind", types: ``},
		{name: "the expected kind", types: `"kind":"Widget","apiVersion":"example.com/v1",`},
		{name: "another version", types: `"kind":"Widget","apiVersion":"example.com/v2beta1",`},
		{name: "kind only", types: `"kind":"Widget",`},
		{name: "group only", types: `"apiVersion":"example.com/v1",`},
		{name: "empty", types: `"kind":"","apiVersion":"",`},
		{name: "null", types: `"kind":null,"apiVersion":null,`},
		{name: "another kind", types: `"kind":"Gadget","apiVersion":"example.com/v1",`, wrong: `an object of the kind "Gadget" does not fit the kind "Widget" (ResourceInfo.Kind)`},
		{name: "another kind only", types: `"kind":"Gadget",`, wrong: `kind "Gadget"`},
		{name: "another case", types: `"kind":"widget",`, wrong: `kind "widget"`},
		{name: "escaped", types: `"kind":"\u0047adget",`, wrong: `kind "Gadget"`},
		{name: "spelled with escapes", types: `"kind":"\u0057idget",`},
		{name: "another group", types: `"apiVersion":"example.org/v1","kind":"Widget",`, wrong: `an object of the group "example.org" does not fit the group "example.com" (ResourceInfo.Group)`},
		{name: "a group with the same prefix", types: `"apiVersion":"example.com.evil/v1",`, wrong: `group "example.com.evil"`},
		{name: "the core group", types: `"apiVersion":"v1",`, wrong: `an object of the core group does not fit`},
		{name: "a Status", types: `"kind":"Status","apiVersion":"v1",`, wrong: `kind "Status"`},
		{name: "metadata only", types: `"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",`, wrong: `kind "PartialObjectMetadata"`, metadata: true},
	} {
		for name, codec := range codecs {
			t.Run(c.name+" as "+name, func(t *testing.T) {
				wrong := c.wrong
				if codec.expected == nil || codec.metadataOnly && c.metadata {
					wrong = ""
				}
				good := widgetOfType("")
				items, lost, _, err := listOfJSON(t, codec, listWithItems("["+good+","+widgetOfType(c.types)+","+good+"]"))
				require.NoError(t, err)
				requireOneLost(t, wrong, "", 3, len(items), lost)

				for _, typ := range []string{"ADDED", "MODIFIED", "DELETED"} {
					frame := `{"type":"` + typ + `","object":`
					body := frame + good + "}\n" + frame + widgetOfType(c.types) + "}\n" + frame + good + "}\n"
					for _, body := range []string{body, objectBeforeType(body, typ)} {
						events, lost, err := readWatch(t, codec, JSONType, strings.NewReader(body))
						require.NoError(t, err)
						requireOneLost(t, wrong, watch.EventType(typ), 3, len(events), lost)
					}
				}
			})
		}
	}
}

// objectBeforeType returns the frames with the object before the type.
func objectBeforeType(body, typ string) string {
	body = strings.ReplaceAll(body, `{"type":"`+typ+`","object":`, `{"object":`)
	return strings.ReplaceAll(body, "}\n", `,"type":"`+typ+"\"}\n")
}

// requireOneLost checks that one object was lost, with its whole identity, or none.
func requireOneLost(t *testing.T, wrong string, typ watch.EventType, all, decoded int, lost []*ItemError) {
	t.Helper()
	if wrong == "" {
		require.Empty(t, lost)
		require.Equal(t, all, decoded)
		return
	}
	require.Equal(t, all-1, decoded, "only this object is lost")
	require.Len(t, lost, 1)
	require.ErrorContains(t, lost[0], wrong)
	lost[0].Err = nil
	require.Equal(t, &ItemError{Type: typ, Namespace: "shop", Name: "a", UID: "u", ResourceVersion: "7"}, lost[0])
}

// protobufCodecs returns a codec for each way in which a type may have a kind.
func protobufCodecs(t *testing.T) map[string]*Codec {
	t.Helper()
	return map[string]*Codec{
		"a struct":    codecFor[ownProtobuf](t, Options{}),
		"metadata":    codecFor[metav1.PartialObjectMetadata](t, Options{}),
		"of any kind": codecOfAnyKind[ownProtobuf](t, Options{}),
	}
}

// In a protobuf list the items have no kind. In a protobuf watch each event has one.
func TestAProtobufEventOfAnotherKindLosesOnlyItself(t *testing.T) {
	object := metav1.ObjectMeta{Namespace: "shop", Name: "a", UID: types.UID("u"), ResourceVersion: "7"}
	message := &metav1.PartialObjectMetadata{ObjectMeta: object}
	for _, c := range []struct{ apiVersion, kind, wrong string }{
		{"", "", ""},
		{"example.com/v1", "Widget", ""},
		{"example.com/v2", "Widget", ""},
		{"example.com/v1", "Gadget", `an object of the kind "Gadget" does not fit the kind "Widget" (ResourceInfo.Kind)`},
		{"", "Gadget", `kind "Gadget"`},
		{"v1", "Widget", "the core group does not fit"},
		{"v1", "Status", `kind "Status"`},
		{"meta.k8s.io/v1", "PartialObjectMetadata", `kind "PartialObjectMetadata"`},
	} {
		for name, codec := range protobufCodecs(t) {
			t.Run(c.apiVersion+" "+c.kind+" as "+name, func(t *testing.T) {
				wrong := c.wrong
				if codec.expected == nil || codec.metadataOnly && c.kind == "PartialObjectMetadata" {
					wrong = ""
				}
				for _, typ := range []string{"ADDED", "MODIFIED", "DELETED"} {
					var body []byte
					for _, object := range [][]byte{
						wiretest.ProtobufEnvelope(t, "example.com/v1", "Widget", message), wiretest.ProtobufEnvelope(t, c.apiVersion, c.kind, message),
						wiretest.ProtobufEnvelope(t, "example.com/v1", "Widget", message),
					} {
						body = append(body, wiretest.ProtobufFrame(t, typ, object)...)
					}
					events, lost, err := readWatch(t, codec, protobufWatchType, bytes.NewReader(body))
					require.NoError(t, err)
					requireOneLost(t, wrong, watch.EventType(typ), 3, len(events), lost)
				}
			})
		}
	}
}

// The items of a list in protobuf have the kind of the list, and cannot be decoded as
// another one: such a list is an error.
func TestAProtobufListOfAnotherKindIsAnError(t *testing.T) {
	list := &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}}
	for _, c := range []struct{ apiVersion, kind, wrong string }{
		{"", "", ""},
		{"example.com/v1", "WidgetList", ""},
		{"example.com/v2", "WidgetList", ""},
		{"v1", "List", ""},
		{"example.com/v1", "GadgetList", `a list of another kind: an object of the kind "Gadget" does not fit the kind "Widget" (ResourceInfo.Kind)`},
		{"v1", "WidgetList", "the core group does not fit"},
		{"meta.k8s.io/v1", "PartialObjectMetadataList", `kind "PartialObjectMetadata"`},
	} {
		for name, codec := range protobufCodecs(t) {
			t.Run(c.apiVersion+" "+c.kind+" as "+name, func(t *testing.T) {
				items, lost, _, err := readList(t, codec, ProtobufType, bytes.NewReader(wiretest.ProtobufEnvelope(t, c.apiVersion, c.kind, list)))
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

// Promise: a lost object is reported with as much of its identity as can be read,
// above all in a DELETED event, since no later event names that object.
func TestALostDeletionNamesItsObject(t *testing.T) {
	whole := ItemError{Type: watch.Deleted, Namespace: "shop", Name: "a", UID: "u", ResourceVersion: "7"}
	withoutUID := whole
	withoutUID.UID = ""
	for name, c := range map[string]struct {
		object string
		want   ItemError
	}{
		"a field of another type":  {`{"spec":{"size":"x"},"metadata":{"namespace":"shop","name":"a","uid":"u","resourceVersion":"7"}}`, whole},
		"after the metadata":       {`{"metadata":{"namespace":"shop","name":"a","uid":"u","resourceVersion":"7"},"spec":[]}`, whole},
		"another kind":             {widgetOfType(`"kind":"Gadget",`), whole},
		"metadata of another type": {`{"metadata":{"labels":"x","namespace":"shop","name":"a","uid":"u","resourceVersion":"7"}}`, whole},
		"an incomplete identity":   {`{"metadata":{"uid":5,"namespace":"shop","name":"a","resourceVersion":"7"}}`, withoutUID},
		"nothing readable":         {`{"metadata":[]}`, ItemError{Type: watch.Deleted}},
	} {
		t.Run(name, func(t *testing.T) {
			c2 := codecFor[wiretest.Widget](t, Options{})
			for _, body := range []string{`{"type":"DELETED","object":` + c.object + "}\n", `{"object":` + c.object + `,"type":"DELETED"}`} {
				_, lost, err := readWatch(t, c2, JSONType, strings.NewReader(body))
				require.NoError(t, err)
				require.Len(t, lost, 1)
				require.Error(t, lost[0].Err)
				lost[0].Err = nil
				require.Equal(t, &c.want, lost[0])
			}
		})
	}
}

// A kind that is not a string is ignored, and so is a nested field of that name.
func TestAKindThatIsNotAStringIsIgnored(t *testing.T) {
	items, lost, _, err := listOfJSON(t, codecFor[oddWidget](t, Options{}), listWithItems(`[{"kind":{"a":"b"}}]`))
	require.NoError(t, err)
	require.Empty(t, lost)
	require.Equal(t, "b", items[0].(*oddWidget).Kind["a"])
	for _, codec := range []*Codec{codecFor[wiretest.Widget](t, Options{}), codecFor[unstructured.Unstructured](t, Options{}), codecFor[selfWidget](t, Options{})} {
		items, lost, _, err := listOfJSON(t, codec, listWithItems(`[{"kind":"Widget","spec":{"kind":"Gadget","apiVersion":"x/v1"}}]`))
		require.NoError(t, err)
		require.Empty(t, lost)
		require.Len(t, items, 1)
	}
}

// A single object has the kind of its path, in any group: the scale of a deployment
// is in autoscaling. The expectations for lists do not apply to it.
func TestTheGroupOfASingleObjectIsNotChecked(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	_, lost, _, err := listOfJSON(t, c, listWithItems("["+widgetOfType(`"apiVersion":"autoscaling/v1",`)+"]"))
	require.NoError(t, err)
	require.Len(t, lost, 1)
	object, err := c.DecodeObject(JSONType, []byte(widgetOfType(`"kind":"Widget","apiVersion":"autoscaling/v1",`)))
	require.NoError(t, err)
	require.Equal(t, "a", object.(*wiretest.Widget).Name)
}

// panickingWidget panics if its spec is "panic".
type panickingWidget struct {
	SlimMeta `json:"metadata"`
	Spec     panicsOnJSON `json:"spec"`
}

// An object whose UnmarshalJSON panics loses only itself. The kind of the next object
// is checked.
func TestKindsAreCheckedAfterAPanic(t *testing.T) {
	_, lost, _, err := listOfJSON(t, codecFor[panickingWidget](t, Options{}), listWithItems(`[{"spec":"panic"},`+widgetOfType(`"kind":"Gadget",`)+"]"))
	require.NoError(t, err)
	require.Len(t, lost, 2)
	require.ErrorContains(t, lost[1], `kind "Gadget"`)
}
