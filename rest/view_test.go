package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/rest"
)

func TestGetDecodesIntoTheTypeOfTheView(t *testing.T) {
	api := serveBodies(t, widgetJSON("a", "5", `,"spec":{"size":3}`))
	get := metav1.GetOptions{ResourceVersion: "4"}
	typed, err := rest.NewView[*Widget](api.client, widgets).Namespace("ns").Get(t.Context(), "a", get)
	require.NoError(t, err)
	require.Equal(t, 3, typed.Spec.Size)
	require.Equal(t, "Widget", typed.Kind)
	require.Len(t, typed.ManagedFields, 1, "the result of Get has managedFields")
	require.Equal(t, "GET /apis/example.com/v1/namespaces/ns/widgets/a?resourceVersion=4", api.last(t).String())
	require.Equal(t, "application/json", api.last(t).Accept)

	slim, err := rest.NewView[*SlimWidget](api.client, widgets).Namespace("ns").Get(t.Context(), "a", get)
	require.NoError(t, err)
	require.Equal(t, "ns", slim.GetNamespace())
	require.Equal(t, 3, slim.Spec.Size)

	u, err := rest.NewView[*unstructured.Unstructured](api.client, widgets).Namespace("ns").Get(t.Context(), "a", get)
	require.NoError(t, err)
	size, _, err := unstructured.NestedInt64(u.Object, "spec", "size")
	require.NoError(t, err)
	require.Equal(t, int64(3), size)
	require.Len(t, u.GetManagedFields(), 1)

	_, err = rest.NewView[*metav1.PartialObjectMetadata](api.client, widgets).Namespace("ns").Get(t.Context(), "a", get)
	require.NoError(t, err)
	require.Contains(t, api.last(t).Accept, "as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
}

// metadataWidget has a field that metadata-only requests leave empty.
type metadataWidget struct {
	labelledMeta `json:"metadata"`
	Spec         struct {
		Size int `json:"size"`
	} `json:"spec"`
}

type labelledMeta struct {
	rest.SlimMeta `json:",inline"`
	Labels        map[string]string `json:"labels"`
}

// MetadataOf requests only metadata, for any type, and accepts its kind.
func TestMetadataOfRequestsOnlyMetadata(t *testing.T) {
	api := serveBodies(t, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"5","labels":{"app":"shop"}}}`)
	whole := rest.NewView[*Widget](api.client, widgets).Namespace("ns")
	view := rest.MetadataOf[*metadataWidget](whole)
	require.Equal(t, "ns", view.ScopedNamespace())
	require.Equal(t, widgets, view.ResourceInfo())
	got, err := view.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"app": "shop"}, got.Labels)
	require.Equal(t, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json", api.last(t).Accept)
	require.NotEqual(t, rest.NewView[*metadataWidget](api.client, widgets).Namespace("ns").Identity(), view.Identity(), "they return different objects")
	require.Equal(t, rest.MetadataOf[*metadataWidget](whole).Identity(), view.Identity())

	// What does not work for T does not work for its metadata either.
	require.ErrorIs(t, rest.MetadataOf[*metadataWidget](rest.NewView[*Widget](nil, widgets)).Check(), rest.ErrNoClient)
	options := rest.DecodeOptions{MaxDepth: 3}
	require.Equal(t, rest.MetadataOf[*metadataWidget](whole.WithDecodeOptions(options)).Identity(), view.WithDecodeOptions(options).Identity())
}

func TestErrorsAreStatusErrors(t *testing.T) {
	api := serveBodies(t, statusJSON(404, metav1.StatusReasonNotFound))
	view := rest.NewView[*Widget](api.client, widgets).Namespace("ns")
	_, err := view.Get(t.Context(), "a", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	_, err = view.List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	_, err = view.Watch(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsNotFound(err), "a watch that cannot be opened is an error: %v", err)
}

// A namespaced object requires a namespace, and an invalid name is not sent.
func TestInvalidNamesAndNamespacesAreNotSent(t *testing.T) {
	api := serveBodies(t, "{}")
	all := rest.NewResource[*Widget](api.client, widgets)
	in := all.Namespace("ns")
	for what, call := range map[string]func() error{
		"get without a namespace":          func() error { _, err := all.Get(t.Context(), "a", metav1.GetOptions{}); return err },
		"get without a name":               func() error { _, err := in.Get(t.Context(), "", metav1.GetOptions{}); return err },
		"get with a path":                  func() error { _, err := in.Get(t.Context(), "a/../b", metav1.GetOptions{}); return err },
		"get ..":                           func() error { _, err := in.Get(t.Context(), "..", metav1.GetOptions{}); return err },
		"get escaped":                      func() error { _, err := in.Get(t.Context(), "a%2fb", metav1.GetOptions{}); return err },
		"list in a namespace with a slash": func() error { _, err := all.Namespace("a/b").List(t.Context(), metav1.ListOptions{}); return err },
		"a namespace of a cluster-scoped resource": func() error {
			info := widgets
			info.Namespaced = false
			_, err := rest.NewView[*Widget](api.client, info).Namespace("ns").List(t.Context(), metav1.ListOptions{})
			return err
		},
		"delete everything of all namespaces": func() error {
			return all.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
		},
		"a nil scale": func() error { _, err := in.UpdateScale(t.Context(), "a", nil, metav1.UpdateOptions{}); return err },
		"an empty patch": func() error {
			_, err := in.Patch(t.Context(), "a", "application/merge-patch+json", nil, metav1.PatchOptions{})
			return err
		},
		"apply without a name": func() error {
			_, err := in.Apply(t.Context(), &Widget{}, metav1.ApplyOptions{FieldManager: "m"})
			return err
		},
		"a subresource of an interface type": func() error {
			return rest.NewResource[rest.Object](api.client, widgets).Namespace("ns").SubResource("status").Get(t.Context(), "a", &Widget{})
		},
		"watch ..":                   func() error { _, err := all.Namespace("..").Watch(t.Context(), metav1.ListOptions{}); return err },
		"delete without a name":      func() error { return in.Delete(t.Context(), "", metav1.DeleteOptions{}) },
		"delete without a namespace": func() error { return all.Delete(t.Context(), "a", metav1.DeleteOptions{}) },
		"patch without a name": func() error {
			_, err := in.Patch(t.Context(), "", "application/merge-patch+json", []byte("{}"), metav1.PatchOptions{})
			return err
		},
		"update without a name": func() error { _, err := in.Update(t.Context(), &Widget{}, metav1.UpdateOptions{}); return err },
		"a subresource with a path": func() error {
			return in.SubResource("a/b").Get(t.Context(), "a", &Widget{})
		},
		"a subresource without a name": func() error {
			_, err := in.SubResource("").Update(t.Context(), &Widget{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.UpdateOptions{})
			return err
		},
	} {
		require.Error(t, call(), what)
	}
	require.Empty(t, api.requests())
}

func TestPagesFormOneList(t *testing.T) {
	api := serveBodies(t,
		listJSON("10", "t1", widgetJSON("a", "1", ""), widgetJSON("b", "2", "")),
		listJSON("10", "t2", widgetJSON("c", "3", "")),
		listJSON("10", "", widgetJSON("d", "4", "")))
	list, err := rest.NewView[*Widget](api.client, widgets).List(t.Context(), metav1.ListOptions{
		LabelSelector: "x=y", Limit: 2, ResourceVersion: "0", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	require.NoError(t, err)
	require.Empty(t, list.ResourceVersion(), "no version before the end of the list")
	items, err := list.Slice()
	require.NoError(t, err)
	require.Equal(t, []string{"a@1", "b@2", "c@3", "d@4"}, names(items))
	require.Nil(t, items[0].ManagedFields, "lists skip managedFields")
	require.Equal(t, "10", list.ResourceVersion())

	var lines []string
	for _, s := range api.requests() {
		lines = append(lines, s.String())
	}
	require.Equal(t, []string{
		"GET /apis/example.com/v1/widgets?labelSelector=x%3Dy&limit=2&resourceVersion=0&resourceVersionMatch=NotOlderThan",
		"GET /apis/example.com/v1/widgets?continue=t1&labelSelector=x%3Dy&limit=2",
		"GET /apis/example.com/v1/widgets?continue=t2&labelSelector=x%3Dy&limit=2",
	}, lines, "a token carries its version: the server refuses both")
}

func TestPageSize(t *testing.T) {
	api := serveBodies(t, listJSON("1", ""))
	for _, c := range []struct {
		configured int64
		opts       metav1.ListOptions
		want       string
	}{
		{0, metav1.ListOptions{}, "500"},
		{0, metav1.ListOptions{ResourceVersion: "0"}, "500"},
		{0, metav1.ListOptions{ResourceVersion: "7"}, ""},
		{0, metav1.ListOptions{Limit: 3}, "3"},
		{0, metav1.ListOptions{Limit: 3, ResourceVersion: "7"}, "3"},
		{50, metav1.ListOptions{}, "50"},
		{-1, metav1.ListOptions{}, ""},
	} {
		client, err := rest.New(&rest.Config{Host: api.url, PageSize: c.configured})
		require.NoError(t, err)
		defer client.Close()
		list, err := rest.NewView[*Widget](client, widgets).List(t.Context(), c.opts)
		require.NoError(t, err)
		_, err = list.Slice()
		require.NoError(t, err)
		require.Equal(t, c.want, api.last(t).Query.Get("limit"), "%+v", c)
	}
}

// Contract: after an expired continue token, a list restarts from the beginning, as the
// API documents it for a consistent list.
func TestExpiredTokenRestarts(t *testing.T) {
	api := serveBodies(t,
		listJSON("10", "t1", widgetJSON("a", "1", ""), widgetJSON("b", "2", "")),
		statusJSON(410, metav1.StatusReasonExpired),
		listJSON("20", "", widgetJSON("b", "12", ""), widgetJSON("c", "13", "")))
	view := rest.NewView[*Widget](api.client, widgets)
	list, err := view.List(t.Context(), metav1.ListOptions{ResourceVersion: "5", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Limit: 2})
	require.NoError(t, err)
	var seen []string
	for item, err := range list.Items() {
		if errors.Is(err, rest.ErrRestarted) {
			seen = append(seen, "restarted")
			continue
		}
		require.NoError(t, err)
		seen = append(seen, item.Name)
	}
	require.Equal(t, []string{"a", "b", "restarted", "b", "c"}, seen)
	require.Equal(t, "20", list.ResourceVersion())
	require.Equal(t, "GET /apis/example.com/v1/widgets?resourceVersion=5&resourceVersionMatch=NotOlderThan", api.last(t).String(),
		"in one page: the server could not keep the state for several")
}

func TestSliceDiscardsItemsBeforeARestart(t *testing.T) {
	api := serveBodies(t,
		listJSON("10", "t1", widgetJSON("a", "1", "")),
		statusJSON(410, metav1.StatusReasonExpired),
		listJSON("20", "", widgetJSON("b", "12", "")))
	list, err := rest.NewView[*Widget](api.client, widgets).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	items, err := list.Slice()
	require.NoError(t, err)
	require.Equal(t, []string{"b@12"}, names(items))
}

func TestAListReturnsTheErrorThatEndsIt(t *testing.T) {
	first := listJSON("10", "t1", widgetJSON("a", "1", ""))
	expired := statusJSON(410, metav1.StatusReasonExpired)
	for _, c := range []struct {
		name   string
		bodies []string
		opts   metav1.ListOptions
		want   string
	}{
		{"a page fails", []string{first, statusJSON(403, metav1.StatusReasonForbidden)}, metav1.ListOptions{}, "Forbidden"},
		{"the token expires again", []string{first, expired, first, expired}, metav1.ListOptions{}, "Expired"},
		{"the restart fails", []string{first, expired, statusJSON(403, metav1.StatusReasonForbidden)}, metav1.ListOptions{}, "Forbidden"},
		{"a list that starts with a token cannot restart", []string{first, expired}, metav1.ListOptions{Continue: "mine"}, "Expired"},
		{"the token repeats", []string{first, first}, metav1.ListOptions{}, "continue token"},
		{"the token repeats after two pages", []string{first, listJSON("10", "t2", widgetJSON("b", "1", "")), first}, metav1.ListOptions{}, "continue token"},
		{"a page ends too early", []string{first, first[:len(first)-1]}, metav1.ListOptions{}, "list widgets"},
		{"a page is not a list", []string{first, `{"kind":"Widget"}`}, metav1.ListOptions{}, "Widget"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := serveBodies(t, c.bodies...)
			list, err := rest.NewView[*Widget](api.client, widgets).List(t.Context(), c.opts)
			require.NoError(t, err)
			_, err = list.Slice()
			require.ErrorContains(t, err, c.want)
			require.Empty(t, list.ResourceVersion(), "a failed list has no version")
			if c.opts.Continue != "" {
				require.Len(t, api.requests(), 2)
			}
		})
	}
}

// A list restarts once. A server that cannot keep it long enough causes an error.
func TestListRestartsOnce(t *testing.T) {
	n := 0
	api := serve(t, func(w http.ResponseWriter, r *http.Request, s receivedRequest) {
		n++
		if s.Query.Has("continue") {
			w.WriteHeader(http.StatusGone) // without a reason, as some servers do
			io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":410}`)
			return
		}
		io.WriteString(w, listJSON("10", "t", widgetJSON("a", "1", "")))
	})
	list, err := rest.NewView[*Widget](api.client, widgets).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = list.Slice()
	require.True(t, apierrors.IsGone(err), "%v", err)
	require.Equal(t, 4, n, "two pages, twice")
}

// A list with an endless number of empty pages ends.
func TestListOfEmptyPagesEnds(t *testing.T) {
	n := 0
	api := serve(t, func(w http.ResponseWriter, r *http.Request, s receivedRequest) {
		n++
		io.WriteString(w, listJSON("10", fmt.Sprint("t", n)))
	})
	list, err := rest.NewView[*Widget](api.client, widgets).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = list.Slice()
	require.ErrorContains(t, err, "no items")
}

// The version of a list is the version of its first page.
func TestVersionOfTheFirstPage(t *testing.T) {
	api := serveBodies(t, listJSON("10", "t1", widgetJSON("a", "1", "")), listJSON("11", "", widgetJSON("b", "11", "")))
	list, err := rest.NewView[*Widget](api.client, widgets).List(t.Context(), metav1.ListOptions{Watch: true})
	require.NoError(t, err)
	_, err = list.Slice()
	require.NoError(t, err)
	require.Equal(t, "10", list.ResourceVersion(), "a watch from that version misses no event")
	require.False(t, api.requests()[0].Query.Has("watch"), "a list is not sent as a watch")
}

// An object that cannot be decoded loses only itself.
func TestAnItemErrorDoesNotEndTheList(t *testing.T) {
	api := serveBodies(t, listJSON("10", "", widgetJSON("a", "1", ""), widgetJSON("b", "2", `,"spec":{"size":"big"}`), widgetJSON("c", "3", "")))
	list, err := rest.NewView[*Widget](api.client, widgets).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var good []string
	var bad []*rest.ItemError
	for item, err := range list.Items() {
		var itemError *rest.ItemError
		switch {
		case errors.As(err, &itemError):
			bad = append(bad, itemError)
		default:
			require.NoError(t, err)
			good = append(good, item.Name)
		}
	}
	require.Equal(t, []string{"a", "c"}, good)
	require.Len(t, bad, 1)
	require.Equal(t, "b", bad[0].Name)
	require.Equal(t, "ns", bad[0].Namespace)
	require.Equal(t, "2", bad[0].ResourceVersion)
	require.ErrorContains(t, bad[0], "spec.size")
	require.Equal(t, "10", list.ResourceVersion())
}

// Leaving the loop early, or closing an unread list, releases the connection.
func TestUnreadListsHoldNoConnection(t *testing.T) {
	api := serve(t, func(w http.ResponseWriter, r *http.Request, _ receivedRequest) {
		io.WriteString(w, `{"kind":"WidgetList","metadata":{"resourceVersion":"1"},"items":[`+widgetJSON("a", "1", "")+",")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	view := rest.NewView[*Widget](api.client, widgets)
	list, err := view.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for item, err := range list.Items() {
		require.NoError(t, err)
		require.Equal(t, "a", item.Name)
		break
	}
	<-api.ended
	for _, err := range list.Items() {
		require.ErrorIs(t, err, rest.ErrListConsumed)
	}

	list, err = view.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	list.Close()
	list.Close()
	<-api.ended
	for _, err := range list.Items() {
		require.ErrorIs(t, err, rest.ErrListConsumed)
	}
}

func TestListEndsWithItsContext(t *testing.T) {
	api := serve(t, func(w http.ResponseWriter, r *http.Request, _ receivedRequest) {
		io.WriteString(w, `{"kind":"WidgetList","metadata":{"resourceVersion":"1"},"items":[`+widgetJSON("a", "1", ""))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := cancelCause(t)
	list, err := rest.NewView[*Widget](api.client, widgets).List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	reason := errors.New("the user has left")
	var last error
	for _, err := range list.Items() {
		last = err
		cancel(reason)
	}
	require.ErrorIs(t, last, reason)
	require.ErrorIs(t, last, context.Canceled)
	require.ErrorContains(t, last, "list widgets.example.com")
	require.Empty(t, list.ResourceVersion())
}

// Close may be called at any time: in the loop, and by another goroutine while the
// loop waits for the server.
func TestCloseDuringTheLoop(t *testing.T) {
	api := serve(t, func(w http.ResponseWriter, r *http.Request, _ receivedRequest) {
		io.WriteString(w, `{"kind":"WidgetList","metadata":{"resourceVersion":"1"},"items":[`+widgetJSON("a", "1", ""))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	view := rest.NewView[*Widget](api.client, widgets)
	for _, close := range []func(*rest.List[*Widget]){
		func(l *rest.List[*Widget]) { l.Close() },
		func(l *rest.List[*Widget]) { go l.Close() },
	} {
		list, err := view.List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		var last error
		for _, err := range list.Items() {
			last = err
			close(list)
		}
		require.ErrorContains(t, last, "the list was closed")
		require.Empty(t, list.ResourceVersion())
		<-api.ended
	}
}

// A list of a custom source has its version only after it was read to its end, as a
// list of a server has.
func TestListOfHasAVersionAtItsEnd(t *testing.T) {
	list := rest.ListOf("5", 1, 2)
	require.Empty(t, list.ResourceVersion())
	for range list.Items() {
		require.Empty(t, list.ResourceVersion())
		break
	}
	require.Empty(t, list.ResourceVersion(), "the list was not read to its end")

	list = rest.NewList(func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, errors.New("broken")) }, func() string { return "5" })
	_, err := list.Slice()
	require.ErrorContains(t, err, "broken")
	require.Empty(t, list.ResourceVersion())

	list = rest.NewList(func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, rest.ErrRestarted) }, func() string { return "5" })
	items, err := list.Slice()
	require.NoError(t, err)
	require.Empty(t, items)
	require.Equal(t, "5", list.ResourceVersion(), "the version of the restarted list, which is empty")
}

// Items before a restart are released at once.
func TestSliceReleasesItemsBeforeARestart(t *testing.T) {
	first := new(int)
	list := rest.NewList(func(yield func(*int, error) bool) {
		_ = yield(first, nil) && yield(nil, rest.ErrRestarted)
	}, func() string { return "5" })
	items, err := list.Slice()
	require.NoError(t, err)
	require.Nil(t, items[:1][0])
}

// The list of a custom resource may have any kind.
func TestListOfAnyKind(t *testing.T) {
	for _, body := range []string{
		`{"apiVersion":"example.com/v1","kind":"Widgets","metadata":{"resourceVersion":"9"},"items":[` + widgetJSON("a", "1", "") + `]}`,
		`{"items":[` + widgetJSON("a", "1", "") + `],"metadata":{"resourceVersion":"9"},"kind":"AllTheWidgets"}`,
	} {
		list, err := rest.NewView[*Widget](serveBodies(t, body).client, widgets).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		items, err := list.Slice()
		require.NoError(t, err)
		require.Equal(t, []string{"a@1"}, names(items))
		require.Equal(t, "9", list.ResourceVersion())
	}
}
