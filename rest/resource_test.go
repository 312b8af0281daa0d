package rest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/rest"
)

func widget(name string, size int) *Widget {
	return &Widget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"}, Spec: WidgetSpec{Size: size}}
}

// Each case has a write, its request and its result.
func TestWrites(t *testing.T) {
	const path = "/apis/example.com/v1/namespaces/ns/widgets"
	const object = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"ns"},"spec":{"size":3}}`
	api := serveBodies(t, widgetJSON("a", "6", `,"spec":{"size":3}`))
	r := rest.NewResource[*Widget](api.client, widgets)
	in := r.Namespace("ns")
	for _, c := range []struct {
		name string
		call func() (*Widget, error)
		line string
		ct   string
		body string
	}{
		{"create", func() (*Widget, error) {
			return r.Create(t.Context(), widget("a", 3), metav1.CreateOptions{FieldManager: "m"})
		}, "POST " + path + "?fieldManager=m", "application/json", object},
		{"create in the namespace of the resource", func() (*Widget, error) {
			w := widget("a", 3)
			w.Namespace = ""
			return in.Create(t.Context(), w, metav1.CreateOptions{})
		}, "POST " + path, "application/json", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":3}}`},
		{"create with a generated name", func() (*Widget, error) {
			w := widget("", 3)
			w.GenerateName = "a-"
			return in.Create(t.Context(), w, metav1.CreateOptions{})
		}, "POST " + path, "application/json", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generateName":"a-","namespace":"ns"},"spec":{"size":3}}`},
		{"update", func() (*Widget, error) {
			return in.Update(t.Context(), widget("a", 3), metav1.UpdateOptions{DryRun: []string{"All"}})
		}, "PUT " + path + "/a?dryRun=All", "application/json", object},
		{"update status", func() (*Widget, error) {
			return in.UpdateStatus(t.Context(), widget("a", 3), metav1.UpdateOptions{})
		}, "PUT " + path + "/a/status", "application/json", object},
		{"update a subresource", func() (*Widget, error) {
			return in.SubResource("resize").Update(t.Context(), widget("a", 3), metav1.UpdateOptions{})
		}, "PUT " + path + "/a/resize", "application/json", object},
		{"patch", func() (*Widget, error) {
			return in.Patch(t.Context(), "a", types.JSONPatchType, []byte(`[{"op":"remove","path":"/spec"}]`), metav1.PatchOptions{})
		}, "PATCH " + path + "/a", "application/json-patch+json", `[{"op":"remove","path":"/spec"}]`},
		{"strategic patch of a subresource", func() (*Widget, error) {
			return in.SubResource("status").Patch(t.Context(), "a", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
		}, "PATCH " + path + "/a/status", "application/strategic-merge-patch+json", `{}`},
		{"merge patch", func() (*Widget, error) {
			return r.MergePatch(t.Context(), widget("a", 3), widget("a", 4), metav1.PatchOptions{})
		}, "PATCH " + path + "/a", "application/merge-patch+json", `{"spec":{"size":4}}`},
		{"merge patch of a subresource", func() (*Widget, error) {
			return r.SubResource("status").MergePatch(t.Context(), widget("a", 3), widget("a", 4), metav1.PatchOptions{})
		}, "PATCH " + path + "/a/status", "application/merge-patch+json", `{"spec":{"size":4}}`},
		{"merge patch with options", func() (*Widget, error) {
			return r.MergePatch(t.Context(), widget("a", 3), widget("a", 4), metav1.PatchOptions{DryRun: []string{"All"}, FieldManager: "m"})
		}, "PATCH " + path + "/a?dryRun=All&fieldManager=m", "application/merge-patch+json", `{"spec":{"size":4}}`},
		{"apply", func() (*Widget, error) {
			w := widget("a", 3)
			w.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "x"}}
			return in.Apply(t.Context(), w, metav1.ApplyOptions{FieldManager: "m", Force: true})
		}, "PATCH " + path + "/a?fieldManager=m&force=true", "application/apply-patch+yaml", object},
		{"apply a subresource", func() (*Widget, error) {
			return in.SubResource("status").Apply(t.Context(), widget("a", 3), metav1.ApplyOptions{FieldManager: "m"})
		}, "PATCH " + path + "/a/status?fieldManager=m&force=false", "application/apply-patch+yaml", object},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.call()
			require.NoError(t, err)
			require.Equal(t, "6", got.ResourceVersion)
			require.Len(t, got.ManagedFields, 1, "the result of a write has managedFields")
			sent := api.last(t)
			require.Equal(t, c.line, sent.String())
			require.Equal(t, c.ct, sent.ContentType)
			require.JSONEq(t, c.body, sent.Body)
		})
	}
}

func TestClusterScopedWrites(t *testing.T) {
	info := widgets
	info.Namespaced = false
	api := serveBodies(t, widgetJSON("a", "6", ""))
	r := rest.NewResource[*Widget](api.client, info)
	w := widget("a", 1)
	w.Namespace = ""
	_, err := r.Create(t.Context(), w, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Equal(t, "POST /apis/example.com/v1/widgets", api.last(t).String())
	_, err = r.Update(t.Context(), w, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "PUT /apis/example.com/v1/widgets/a", api.last(t).String())
}

// Writes always send the apiVersion and kind of the resource.
func TestWritesSendAPIVersionAndKind(t *testing.T) {
	api := serveBodies(t, widgetJSON("a", "6", ""))
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a", "namespace": "ns"}}}
	_, err := rest.NewResource[*unstructured.Unstructured](api.client, widgets).Create(t.Context(), u, metav1.CreateOptions{})
	require.NoError(t, err)
	require.JSONEq(t, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"ns"}}`, api.last(t).Body)
	require.Empty(t, u.GetKind(), "the caller's object is unchanged")

	before := len(api.requests())
	w := widget("a", 1)
	w.Kind = "Gadget"
	_, err = rest.NewResource[*Widget](api.client, widgets).Create(t.Context(), w, metav1.CreateOptions{})
	require.ErrorContains(t, err, `kind is "Gadget"`)

	kindless := widgets
	kindless.Kind = ""
	_, err = rest.NewResource[*Widget](api.client, kindless).Create(t.Context(), widget("a", 1), metav1.CreateOptions{})
	require.ErrorContains(t, err, "Kind")

	_, err = rest.NewResource[*Widget](api.client, widgets).Namespace("other").Create(t.Context(), widget("a", 1), metav1.CreateOptions{})
	require.ErrorContains(t, err, `"ns"`)
	_, err = rest.NewResource[*Widget](api.client, widgets).Apply(t.Context(), widget("a", 1), metav1.ApplyOptions{})
	require.ErrorContains(t, err, "FieldManager")
	require.Len(t, api.requests(), before, "no request was sent")
}

// An interface as T or a nil object is an error of the first call, never a panic.
func TestInvalidTypesAndNilObjectsAreErrors(t *testing.T) {
	api := serveBodies(t, `{}`)
	_, err := rest.NewView[rest.Object](api.client, widgets).Get(t.Context(), "a", metav1.GetOptions{})
	require.ErrorContains(t, err, "pointer to a struct")
	_, err = rest.NewView[rest.Object](api.client, widgets).List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "pointer to a struct")
	_, err = rest.NewView[rest.Object](api.client, widgets).Watch(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "pointer to a struct")
	r := rest.NewResource[*Widget](api.client, widgets)
	_, err = r.Create(t.Context(), nil, metav1.CreateOptions{})
	require.ErrorContains(t, err, "nil")
	_, err = r.Update(t.Context(), nil, metav1.UpdateOptions{})
	require.ErrorContains(t, err, "nil")
	_, err = r.MergePatch(t.Context(), nil, widget("a", 1), metav1.PatchOptions{})
	require.ErrorContains(t, err, "nil")
	_, err = r.Apply(t.Context(), nil, metav1.ApplyOptions{FieldManager: "m"})
	require.ErrorContains(t, err, "nil")
	bad := rest.NewResource[rest.Object](api.client, widgets)
	require.Error(t, bad.Namespace("ns").Delete(t.Context(), "a", metav1.DeleteOptions{}))
	_, err = bad.Create(t.Context(), widget("a", 1), metav1.CreateOptions{})
	require.ErrorContains(t, err, "pointer to a struct")
	require.Empty(t, api.requests())
}

func TestDelete(t *testing.T) {
	api := serveBodies(t, `{"kind":"Status","apiVersion":"v1","status":"Success","details":{"uid":"uid-a"}}`)
	uid := types.UID("uid-a")
	opts := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
	r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	require.NoError(t, r.Delete(t.Context(), "a", opts))
	require.Equal(t, "DELETE /apis/example.com/v1/namespaces/ns/widgets/a", api.last(t).String())
	require.JSONEq(t, `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"uid-a"}}`, api.last(t).Body)

	require.NoError(t, r.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "a=b"}))
	require.Equal(t, "DELETE /apis/example.com/v1/namespaces/ns/widgets?labelSelector=a%3Db", api.last(t).String())
	require.JSONEq(t, `{"kind":"DeleteOptions","apiVersion":"v1"}`, api.last(t).Body)

	api = serveBodies(t, statusJSON(409, metav1.StatusReasonConflict))
	err := rest.NewResource[*Widget](api.client, widgets).Namespace("ns").Delete(t.Context(), "a", opts)
	require.True(t, apierrors.IsConflict(err), "%v", err)
}

func TestScale(t *testing.T) {
	api := serveBodies(t, `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","namespace":"ns","resourceVersion":"7"},"spec":{"replicas":3},"status":{"replicas":2,"selector":"a=b"}}`)
	r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	scale, err := r.GetScale(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, "GET /apis/example.com/v1/namespaces/ns/widgets/a/scale", api.last(t).String())
	require.Equal(t, int32(3), scale.Spec.Replicas)
	require.Equal(t, rest.ScaleStatus{Replicas: 2, Selector: "a=b"}, scale.Status)

	scale.Spec.Replicas = 5
	scale.TypeMeta = metav1.TypeMeta{}
	_, err = r.UpdateScale(t.Context(), "a", scale, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "PUT /apis/example.com/v1/namespaces/ns/widgets/a/scale", api.last(t).String())
	var sent rest.Scale
	require.NoError(t, json.Unmarshal([]byte(api.last(t).Body), &sent))
	require.Equal(t, metav1.TypeMeta{Kind: "Scale", APIVersion: "autoscaling/v1"}, sent.TypeMeta)
	require.Equal(t, int32(5), sent.Spec.Replicas)
	require.Equal(t, "7", sent.ResourceVersion)
	require.Empty(t, scale.Kind, "the caller's value is unchanged")

	stored, err := r.PatchScale(t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{FieldManager: "m"})
	require.NoError(t, err)
	require.Equal(t, int32(3), stored.Spec.Replicas)
	require.Equal(t, "PATCH /apis/example.com/v1/namespaces/ns/widgets/a/scale?fieldManager=m", api.last(t).String())
}

func TestSubResourcesOfOtherTypes(t *testing.T) {
	type eviction struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
	}
	api := serveBodies(t, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	body := &eviction{TypeMeta: metav1.TypeMeta{APIVersion: "policy/v1", Kind: "Eviction"}}
	body.Name = "a"
	var answer metav1.Status
	require.NoError(t, r.SubResource("eviction").Create(t.Context(), "a", body, &answer, metav1.CreateOptions{}))
	require.Equal(t, "POST /apis/example.com/v1/namespaces/ns/widgets/a/eviction", api.last(t).String())
	require.JSONEq(t, `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"}}`, api.last(t).Body)
	require.Equal(t, "Success", answer.Status)
	require.NoError(t, r.SubResource("eviction").Create(t.Context(), "a", body, nil, metav1.CreateOptions{}))
}

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

func TestTraceReportsWrites(t *testing.T) {
	api := serveBodies(t, widgetJSON("a", "6", ""))
	r := rest.NewResource[*Widget](api.client, widgets).Namespace("ns")
	var written []rest.WriteInfo
	ctx := rest.WithTrace(t.Context(), &rest.Trace{Wrote: func(w rest.WriteInfo) { written = append(written, w) }})
	want := func(verb, name, sub string, uid types.UID, version string) {
		t.Helper()
		labels := map[string]string{}
		if version == "" {
			labels = nil // the response has no object
		}
		require.Equal(t, []rest.WriteInfo{{
			Host: api.url, Labels: labels,
			Resource: widgets.GroupVersionResource, Namespace: "ns", Name: name, SubResource: sub,
			UID: uid, ResourceVersion: version, Verb: verb,
		}}, written)
		written = nil
	}
	generated := widget("", 1)
	generated.GenerateName = "a-"
	_, err := r.Create(ctx, generated, metav1.CreateOptions{})
	require.NoError(t, err)
	want("create", "a", "", "uid-a", "6")
	_, err = r.Update(ctx, widget("a", 1), metav1.UpdateOptions{})
	require.NoError(t, err)
	want("update", "a", "", "uid-a", "6")
	_, err = r.UpdateStatus(ctx, widget("a", 1), metav1.UpdateOptions{})
	require.NoError(t, err)
	want("update", "a", "status", "uid-a", "6")
	_, err = r.MergePatch(ctx, widget("a", 1), widget("a", 2), metav1.PatchOptions{})
	require.NoError(t, err)
	want("patch", "a", "", "uid-a", "6")
	_, err = r.Apply(ctx, widget("a", 1), metav1.ApplyOptions{FieldManager: "m"})
	require.NoError(t, err)
	want("patch", "a", "", "uid-a", "6")
	require.NoError(t, r.Delete(ctx, "a", metav1.DeleteOptions{}))
	want("delete", "a", "", "uid-a", "6")
	require.NoError(t, r.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	want("deletecollection", "", "", "", "")

	_, err = r.Get(ctx, "a", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = r.Update(t.Context(), widget("a", 1), metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Empty(t, written, "reads and requests of other contexts are not reported")

	api = serveBodies(t, `{"kind":"Status","apiVersion":"v1","status":"Success","details":{"uid":"uid-a"}}`)
	require.NoError(t, rest.NewResource[*Widget](api.client, widgets).Namespace("ns").Delete(ctx, "a", metav1.DeleteOptions{}))
	want("delete", "a", "", "uid-a", "")
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

// A write that the server has accepted has happened, even if its response cannot be
// read. The trace is called, and the error reports that the write was accepted.
func TestAnAcceptedWriteWithAnUnreadableResponse(t *testing.T) {
	api := serveBodies(t, widgetJSON("a", "6", `,"spec":{"size":"big"}`))
	var written []rest.WriteInfo
	ctx := rest.WithTrace(t.Context(), &rest.Trace{Wrote: func(w rest.WriteInfo) { written = append(written, w) }})
	_, err := rest.NewResource[*Widget](api.client, widgets).Create(ctx, widget("a", 1), metav1.CreateOptions{})
	require.ErrorContains(t, err, "has accepted it")
	require.ErrorContains(t, err, "spec.size")
	require.Len(t, written, 1)
	require.Equal(t, types.UID("uid-a"), written[0].UID)
	require.Equal(t, "6", written[0].ResourceVersion)
}

// Apply does not send null creation times or managedFields.
func TestApplyOmitsFieldsThatTheServerSets(t *testing.T) {
	api := serveBodies(t, widgetJSON("a", "6", ""))
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{
		"name": "a", "namespace": "ns", "creationTimestamp": nil, "managedFields": []any{},
	}}}
	_, err := rest.NewResource[*unstructured.Unstructured](api.client, widgets).Apply(t.Context(), u, metav1.ApplyOptions{FieldManager: "m"})
	require.NoError(t, err)
	require.JSONEq(t, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"ns"}}`, api.last(t).Body)
}

// If the API responds with a success Status, the sent object is returned.
func TestCreateWithASuccessStatusReturnsTheSentObject(t *testing.T) {
	api := serveBodies(t, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	var written int
	ctx := rest.WithTrace(t.Context(), &rest.Trace{Wrote: func(rest.WriteInfo) { written++ }})
	sent := widget("a", 1)
	got, err := rest.NewResource[*Widget](api.client, widgets).Create(ctx, sent, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Same(t, sent, got)
	require.Equal(t, 1, written)
}

// A scale is not the object that it scales: requests with a Scale as the response are
// refused before they are sent.
func TestAScaleIsNotTheObject(t *testing.T) {
	api := serveBodies(t, `{}`)
	part := rest.NewResource[*Widget](api.client, widgets).Namespace("ns").SubResource("scale")
	_, err := part.Patch(t.Context(), "a", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	require.ErrorContains(t, err, "PatchScale")
	_, err = part.Update(t.Context(), widget("a", 1), metav1.UpdateOptions{})
	require.ErrorContains(t, err, "PatchScale")
	require.Empty(t, api.requests())
}
