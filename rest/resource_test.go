package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

func TestATraceReportsTheWritesOfAResource(t *testing.T) {
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
