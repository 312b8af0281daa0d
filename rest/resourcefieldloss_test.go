package rest_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/rest"
)

// Contract: no silent loss. An update of an object whose decoding has skipped a field
// is refused before anything is sent, and the error names the field.
func TestUpdateRefusesToDropFields(t *testing.T) {
	const more = `,"spec":{"size":1,"color":"red","shape":"round"}`
	api := serveBodies(t, widgetJSON("a", "5", more))
	r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	got, err := r.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)

	copied := *got // programs change copies of cached objects
	copied.Spec.Size = 2
	for what, update := range map[string]func() (*Widget, error){
		"update": func() (*Widget, error) { return r.Update(t.Context(), &copied, metav1.UpdateOptions{}) },
		"update of another subresource": func() (*Widget, error) {
			return r.SubResource("resize").Update(t.Context(), &copied, metav1.UpdateOptions{})
		},
		"another Resource of the same client": func() (*Widget, error) {
			return rest.NewResource[*Widget](api.client, widgets).Update(t.Context(), &copied, metav1.UpdateOptions{})
		},
	} {
		_, err = update()
		require.ErrorIs(t, err, rest.ErrWouldDropFields, what)
		require.ErrorContains(t, err, "spec.color", what)
	}
	require.Len(t, api.requests(), 1, "only the Get was sent")

	_, err = r.Update(t.Context(), widget("other", 1), metav1.UpdateOptions{})
	require.NoError(t, err, "an object without skipped fields")
	_, err = r.MergePatch(t.Context(), got, &copied, metav1.PatchOptions{})
	require.NoError(t, err, "a patch keeps fields that it does not name")
	_, err = r.AllowFieldLoss().Update(t.Context(), &copied, metav1.UpdateOptions{})
	require.NoError(t, err, "AllowFieldLoss permits the loss")
	require.Equal(t, "PUT", api.last(t).Method)
}

// The server applies only the status of an UpdateStatus, and for some kinds the
// metadata: UpdateStatus is refused only if fields of these have been skipped.
func TestUpdateStatusRefusesOnlyToDropFieldsOfStatusAndMetadata(t *testing.T) {
	for name, c := range map[string]struct{ more, refused string }{
		"a new field in spec":                 {`,"spec":{"color":"red"},"status":{"ready":true}`, ""},
		"a new field next to spec":            {`,"extra":{"status":{"x":1}}`, ""},
		"a new field in status":               {`,"status":{"phase":"Up"}`, "status.phase"},
		"new fields in spec and status":       {`,"spec":{"color":"red"},"status":{"ready":true,"phase":"Up"}`, "status.phase"},
		"a status field with an escaped name": {`,"st\u0061tus":{"phase":"Up"}`, "status.phase"},
		"a new field in metadata":             {`,"spec":{"color":"red"},"metadata":{"name":"a","namespace":"ns","uid":"uid-a","news":1}`, "metadata.news"},
	} {
		t.Run(name, func(t *testing.T) {
			api := serveBodies(t, widgetJSON("a", "5", c.more))
			r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
			got, err := r.Get(t.Context(), "a", metav1.GetOptions{})
			require.NoError(t, err)
			for what, update := range map[string]func() (*Widget, error){
				"UpdateStatus": func() (*Widget, error) { return r.UpdateStatus(t.Context(), got, metav1.UpdateOptions{}) },
				"SubResource": func() (*Widget, error) {
					return r.SubResource("status").Update(t.Context(), got, metav1.UpdateOptions{})
				},
			} {
				_, err := update()
				if c.refused == "" {
					require.NoError(t, err, what)
					continue
				}
				require.ErrorIs(t, err, rest.ErrWouldDropFields, what)
				require.ErrorContains(t, err, c.refused, what)
			}
		})
	}
}

// A field that has been removed from the object cannot be dropped.
func TestUpdateIsAllowedAgainWhenTheFieldIsRemoved(t *testing.T) {
	api := serveBodies(t, widgetJSON("a", "5", `,"spec":{"color":"red"}`), widgetJSON("a", "6", `,"spec":{"size":1}`))
	r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	_, err := r.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	got, err := r.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = r.Update(t.Context(), got, metav1.UpdateOptions{})
	require.NoError(t, err)
}

// Fields skipped by lists and watches also refuse an update. Skipped managedFields do
// not.
func TestFieldsSkippedInListsAndWatchesRefuseUpdates(t *testing.T) {
	api := serveBodies(t, listJSON("9", "", widgetJSON("a", "5", `,"spec":{"color":"red"}`), widgetJSON("b", "6", "")))
	r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	list, err := r.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	items, err := list.Slice()
	require.NoError(t, err)
	_, err = r.Update(t.Context(), items[0], metav1.UpdateOptions{})
	require.ErrorIs(t, err, rest.ErrWouldDropFields)
	sent := len(api.requests())
	_, err = r.Update(t.Context(), items[1], metav1.UpdateOptions{})
	require.NotErrorIs(t, err, rest.ErrWouldDropFields, "skipped managedFields are no loss")
	require.Len(t, api.requests(), sent+1)

	api = serveBodies(t, `{"type":"ADDED","object":`+widgetJSON("a", "5", `,"spec":{"color":"red"}`)+`}`)
	r = rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	w, err := r.Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	e, err := w.Next(t.Context())
	require.NoError(t, err)
	_, err = r.Update(t.Context(), e.Object, metav1.UpdateOptions{})
	require.ErrorIs(t, err, rest.ErrWouldDropFields)
}

// protoWidget is a type with its own protobuf.
type protoWidget metav1.PartialObjectMetadata

func (w *protoWidget) Unmarshal(data []byte) error {
	return (*metav1.PartialObjectMetadata)(w).Unmarshal(data)
}

func (w *protoWidget) Size() int { return (*metav1.PartialObjectMetadata)(w).Size() }

// Protobuf has no field names, but skipped fields are detected.
func TestUpdateRefusesToDropFieldsOfProtobuf(t *testing.T) {
	const unknownField = "\x9a\x06\x03new" // field 99: "new"
	meta := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "a", Namespace: "ns", UID: "uid-a", Labels: map[string]string{"k": "v", "l": "w"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: metav1.NewFieldsV1("{}")}},
	}}
	raw, err := meta.Marshal()
	require.NoError(t, err)
	for _, c := range []struct {
		more    string
		refused bool
	}{{"", false}, {unknownField, true}} {
		envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"}, Raw: append(raw, c.more...)}
		body, err := envelope.Marshal()
		require.NoError(t, err)
		api := serve(t, func(w http.ResponseWriter, r *http.Request, s receivedRequest) {
			if r.Method == "GET" {
				w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
				w.Write(append([]byte("k8s\x00"), body...))
				return
			}
			io.WriteString(w, widgetJSON("a", "6", ""))
		})
		r := rest.NewResource[*protoWidget](api.client, widgets).Namespace("ns")
		got, err := r.Get(t.Context(), "a", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, "v", got.Labels["k"])
		_, err = r.Update(t.Context(), got, metav1.UpdateOptions{})
		if c.refused {
			require.ErrorIs(t, err, rest.ErrWouldDropFields)
			require.Len(t, api.requests(), 1)
		} else {
			require.NoError(t, err)
		}
	}
}

// An object with only its metadata lacks all other fields.
func TestUpdateRefusesMetadataOnlyObjects(t *testing.T) {
	api := serveBodies(t, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","namespace":"ns","resourceVersion":"5"}}`)
	r := rest.NewResource[*metav1.PartialObjectMetadata](api.client, widgets).Namespace("ns")
	got, err := r.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = r.Update(t.Context(), got, metav1.UpdateOptions{})
	require.ErrorIs(t, err, rest.ErrWouldDropFields)
	require.Len(t, api.requests(), 1)

	_, err = r.Apply(t.Context(), got, metav1.ApplyOptions{FieldManager: "m"})
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"ns","resourceVersion":"5"}}`, api.last(t).Body,
		"it is sent as what it is the metadata of")
	changed := *got
	changed.Labels = map[string]string{"a": "b"}
	_, err = r.MergePatch(t.Context(), got, &changed, metav1.PatchOptions{})
	require.NoError(t, err)
	require.JSONEq(t, `{"metadata":{"labels":{"a":"b"}}}`, api.last(t).Body)
}

// A slim type lacks fields on purpose: it is never updated with PUT.
func TestUpdateRefusesSlimTypes(t *testing.T) {
	type meta struct {
		rest.SlimMeta `json:",inline"`
		Labels        map[string]string `json:"labels"`
	}
	type deeper struct {
		meta `json:"metadata"`
	}
	api := serveBodies(t, widgetJSON("a", "6", ""))
	slim := &SlimWidget{SlimMeta: rest.SlimMeta{Name: "a", Namespace: "ns"}}
	_, err := rest.NewResource[*SlimWidget](api.client, widgets).Update(t.Context(), slim, metav1.UpdateOptions{})
	require.ErrorIs(t, err, rest.ErrWouldDropFields)
	inner := &deeper{meta{SlimMeta: rest.SlimMeta{Name: "a", Namespace: "ns"}}}
	_, err = rest.NewResource[*deeper](api.client, widgets).Update(t.Context(), inner, metav1.UpdateOptions{})
	require.ErrorIs(t, err, rest.ErrWouldDropFields)
	require.Empty(t, api.requests())
	_, err = rest.NewResource[*SlimWidget](api.client, widgets).AllowFieldLoss().Update(t.Context(), slim, metav1.UpdateOptions{})
	require.NoError(t, err)
}

// A field that is skipped in one version of the API refuses updates in another.
func TestLossesApplyToAllVersionsOfAResource(t *testing.T) {
	api := serveBodies(t, widgetJSON("a", "5", `,"spec":{"color":"red"}`))
	got, err := rest.NewView[*Widget](api.client, widgets).Namespace("ns").Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	newer := widgets
	newer.Version = "v2"
	got.TypeMeta = metav1.TypeMeta{}
	_, err = rest.NewResource[*Widget](api.client, newer).Update(t.Context(), got, metav1.UpdateOptions{})
	require.ErrorIs(t, err, rest.ErrWouldDropFields)
}
