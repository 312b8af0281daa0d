package cache

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// pointerList is a list of pointers.
type pointerList struct {
	podList
	Items []*pod
}

func rawPod(name string) []byte {
	return []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"` + name + `","resourceVersion":"3"}}`)
}

func unstructuredPod(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetNamespace("shop")
	u.SetName(name)
	return u
}

// readAll is what comes of a list: the names of its items, and what was wrong
// with others.
func readAll[T any](t *testing.T, source listwatch.ListerWatcher[T], o metav1.ListOptions) (names []string, items []T, wrong []error, version string) {
	t.Helper()
	list, err := source.List(t.Context(), o)
	require.NoError(t, err)
	for item, err := range list.Items() {
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		items = append(items, item)
		names = append(names, any(item).(metav1.Object).GetName())
	}
	return names, items, wrong, list.ResourceVersion()
}

func listing(list k8sruntime.Object) ListerWatcher {
	return handMade{list: func() (k8sruntime.Object, error) { return list, nil }}
}

// Every form of list that clients decode into is one.
func TestListsOfEveryForm(t *testing.T) {
	meta := metav1.ListMeta{ResourceVersion: "7"}
	objects := []k8sruntime.Object{aPod("a"), aPod("b")}
	untyped := &unstructured.UnstructuredList{Object: map[string]any{}, Items: []unstructured.Unstructured{*unstructuredPod("a"), *unstructuredPod("b")}}
	untyped.SetResourceVersion("7")
	asOne := &unstructured.Unstructured{Object: map[string]any{
		"kind": "PodList", "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": "7"},
		"items": []any{unstructuredPod("a").Object, unstructuredPod("b").Object},
	}}
	for name, list := range map[string]k8sruntime.Object{
		"structs":           listOf("7", "a", "b"),
		"pointers":          &pointerList{podList: podList{ListMeta: meta}, Items: []*pod{aPod("a"), aPod("b")}},
		"interfaces":        &internalversion.List{ListMeta: meta, Items: objects},
		"extensions":        &metav1.List{ListMeta: meta, Items: []k8sruntime.RawExtension{{Object: objects[0]}, {Object: objects[1]}}},
		"metadata":          &metav1.PartialObjectMetadataList{ListMeta: meta, Items: []metav1.PartialObjectMetadata{{ObjectMeta: aPod("a").ObjectMeta}, {ObjectMeta: aPod("b").ObjectMeta}}},
		"untyped":           untyped,
		"an untyped object": asOne,
	} {
		t.Run(name, func(t *testing.T) {
			names, _, wrong, version := readAll(t, sourceOf[any](listing(list), sourceOptions{}), metav1.ListOptions{})
			require.Equal(t, []string{"a", "b"}, names)
			require.Empty(t, wrong)
			require.Equal(t, "7", version)
		})
	}
	_, items, _, _ := readAll(t, sourceOf[any](listing(asOne), sourceOptions{}), metav1.ListOptions{})
	require.Equal(t, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, items[0].(k8sruntime.Object).GetObjectKind().GroupVersionKind(), "the list has told it")
}

// Nothing holds a page of a list because one of its items lives.
func TestAnItemDoesNotHoldItsPage(t *testing.T) {
	var page weak.Pointer[pod]
	source := sourceOf[any](handMade{list: func() (k8sruntime.Object, error) {
		l := listOf("7", "a", "b")
		page = weak.Make(&l.Items[0])
		return l, nil
	}}, sourceOptions{})
	_, items, _, _ := readAll(t, source, metav1.ListOptions{})
	require.NotNil(t, page)
	for range 3 {
		runtime.GC()
	}
	require.Nil(t, page.Value(), "the page is gone")
	require.Equal(t, "a", items[0].(*pod).Name)
	runtime.KeepAlive(items)
}

// An item that is not what is expected costs only itself, and is named.
func TestItemsThatAreNotExpected(t *testing.T) {
	kind := unstructuredPod("")
	kind.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	stranger := unstructuredPod("stranger")
	stranger.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Node"})
	friend := unstructuredPod("friend")
	friend.SetGroupVersionKind(kind.GroupVersionKind())
	for name, c := range map[string]struct {
		expected k8sruntime.Object
		items    []k8sruntime.RawExtension
		want     []string
		wrong    map[string]string // what is said, by name
	}{
		"another type": {&pod{}, []k8sruntime.RawExtension{{Object: friend}, {Object: aPod("a")}}, []string{"a"},
			map[string]string{"friend": "it is a *unstructured.Unstructured, and a *cache.pod is expected"}},
		"another kind": {kind, []k8sruntime.RawExtension{{Object: stranger}, {Object: friend}}, []string{"friend"},
			map[string]string{"stranger": "it is a /v1, Kind=Node, and a /v1, Kind=Pod is expected"}},
		"nothing":   {nil, []k8sruntime.RawExtension{{}, {Object: (*pod)(nil)}, {Object: aPod("a")}}, []string{"a"}, map[string]string{"": "the object is nil"}},
		"undecoded": {nil, []k8sruntime.RawExtension{{Raw: rawPod("raw")}, {Raw: []byte("{")}, {Object: aPod("a")}}, []string{"a"}, map[string]string{"raw": errRaw.Error(), "": errRaw.Error()}},
	} {
		t.Run(name, func(t *testing.T) {
			source := sourceOf[any](listing(&metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: c.items}), sourceOptions{Expected: c.expected})
			names, _, wrong, version := readAll(t, source, metav1.ListOptions{})
			require.Equal(t, c.want, names)
			require.Equal(t, "7", version)
			require.Len(t, wrong, len(c.items)-len(c.want))
			for _, err := range wrong {
				var item *listwatch.ItemError
				require.ErrorAs(t, err, &item)
				require.Contains(t, c.wrong, item.Name)
				require.ErrorContains(t, err, c.wrong[item.Name])
			}
		})
	}
	_, _, wrong, _ := readAll(t, ToTyped[*pod](listing(untypedList("x"))), metav1.ListOptions{})
	require.Len(t, wrong, 1)
	require.ErrorContains(t, wrong[0], "a *cache.pod is expected")
}

func untypedList(names ...string) *unstructured.UnstructuredList {
	l := &unstructured.UnstructuredList{Object: map[string]any{}}
	l.SetResourceVersion("7")
	for _, name := range names {
		l.Items = append(l.Items, *unstructuredPod(name))
	}
	return l
}

// What is no list is an error that says what it is.
func TestWhatIsNoList(t *testing.T) {
	for want, answer := range map[string]k8sruntime.Object{
		errNoList.Error():                               nil,
		"returned a *cache.pod, which is no list":       aPod("a"),
		"returned a *v1.Table, which has no items":      &metav1.Table{},
		"the ListerWatcher returned no list and no err": (*podList)(nil),
	} {
		_, err := sourceOf[any](listing(answer), sourceOptions{}).List(t.Context(), metav1.ListOptions{})
		require.ErrorContains(t, err, want)
	}
	_, err := sourceOf[any](&ListWatch{}, sourceOptions{}).List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, listwatch.ErrNoFunc)
	_, err = sourceOf[any](&ListWatch{}, sourceOptions{}).Watch(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, listwatch.ErrNoFunc)
	_, err = sourceOf[any](handMade{watch: func() (watch.Interface, error) { return nil, nil }}, sourceOptions{}).Watch(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, errNoWatch)
	_, err = sourceOf[any](handMade{watch: func() (watch.Interface, error) { return &ownWatch{}, nil }}, sourceOptions{}).Watch(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, errNoEvents)
	_, err = sourceOf[any](handMade{list: func() (k8sruntime.Object, error) { runtime.Goexit(); return nil, nil }}, sourceOptions{}).List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, errGoexit)
	require.Nil(t, sourceOf[any](nil, sourceOptions{}))
	require.Nil(t, sourceOf[any]((*ListWatch)(nil), sourceOptions{}))
}

// A list is followed through its pages, and begun again when the server cannot go
// on; how large a page is, is the option's to say.
func TestListsInPages(t *testing.T) {
	var asked []metav1.ListOptions
	expired := false
	lw := &ListWatch{ListFunc: func(o metav1.ListOptions) (k8sruntime.Object, error) {
		asked = append(asked, o)
		switch {
		case o.Limit == 0 && o.Continue == "":
			return listOf("9", "a", "b"), nil
		case o.Continue == "":
			l := listOf("7", "a")
			l.Continue = "more"
			return l, nil
		case expired:
			return nil, apierrors.NewResourceExpired("too late")
		}
		return listOf("8", "b"), nil
	}}
	names, _, wrong, version := readAll(t, sourceOf[any](lw, sourceOptions{}), metav1.ListOptions{})
	require.Equal(t, []string{"a", "b"}, names)
	require.Empty(t, wrong)
	require.Equal(t, "7", version, "that of the first page")
	require.Equal(t, []metav1.ListOptions{{Limit: 500}, {Limit: 500, Continue: "more"}}, asked)

	expired, asked = true, nil
	names, _, wrong, version = readAll(t, sourceOf[any](lw, sourceOptions{PageSize: 3}), metav1.ListOptions{ResourceVersion: "0"})
	require.Equal(t, []string{"a", "a", "b"}, names)
	require.ErrorIs(t, errors.Join(wrong...), listwatch.ErrRestarted)
	require.Equal(t, "9", version)
	require.Equal(t, []metav1.ListOptions{{ResourceVersion: "0", Limit: 3}, {Limit: 3, Continue: "more"}, {ResourceVersion: "0"}}, asked)

	for _, c := range []struct {
		whole bool
		size  int64
		opts  metav1.ListOptions
		want  int64
	}{
		{false, 0, metav1.ListOptions{ResourceVersion: "5"}, 0},
		{false, 3, metav1.ListOptions{ResourceVersion: "5"}, 3},
		{false, 3, metav1.ListOptions{Limit: 1}, 1},
		{true, 3, metav1.ListOptions{}, 0},
		{false, -1, metav1.ListOptions{}, 0},
	} {
		asked, expired = nil, false
		lw.DisableChunking = c.whole
		readAll(t, sourceOf[any](lw, sourceOptions{PageSize: c.size}), c.opts)
		require.Equal(t, c.want, asked[0].Limit)
	}
}

// ownWatch is a watch made by hand, of the clumsiest kind: Stop may be called
// once, and does not close the channel.
type ownWatch struct {
	events chan watch.Event
	stops  int
}

func (w *ownWatch) ResultChan() <-chan watch.Event { return w.events }
func (w *ownWatch) Stop()                          { w.stops++ }

func watching(t *testing.T, ctx context.Context, expected any, events ...watch.Event) (*listwatch.Watch[any], *ownWatch) {
	t.Helper()
	own := &ownWatch{events: make(chan watch.Event, 100)}
	for _, event := range events {
		own.events <- event
	}
	source := sourceOf[any](handMade{watch: func() (watch.Interface, error) { return own, nil }}, sourceOptions{Expected: expected})
	w, err := source.Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	return w, own
}

func at(version string) *pod {
	p := aPod("a")
	p.ResourceVersion = version
	return p
}

// What comes out of a watch is an event, an error of one object, or the end. It is
// never a panic, and the watch is stopped once.
func TestWatchesOfEveryKind(t *testing.T) {
	mark := at("9")
	mark.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	w, own := watching(t, t.Context(), &pod{},
		watch.Event{Type: watch.Added, Object: at("1")},
		watch.Event{Type: watch.Modified, Object: unstructuredPod("stranger")},
		watch.Event{Type: watch.Deleted},
		watch.Event{Type: watch.Added, Object: (*pod)(nil)},
		watch.Event{Type: watch.Deleted, Object: at("2")},
		watch.Event{Type: watch.Bookmark, Object: mark},
	)
	next := func() (listwatch.Event[any], error) { return w.Next(t.Context()) }
	event, err := next()
	require.NoError(t, err)
	require.Equal(t, listwatch.Event[any]{Type: watch.Added, Object: event.Object, ResourceVersion: "1"}, event)
	for _, want := range []struct {
		typ  watch.EventType
		name string
	}{{watch.Modified, "stranger"}, {watch.Deleted, ""}, {watch.Added, ""}} {
		_, err = next()
		item, ok := err.(*listwatch.ItemError)
		require.True(t, ok, "%v", err)
		require.Equal(t, want.typ, item.Type)
		require.Equal(t, want.name, item.Name)
	}
	event, err = next()
	require.NoError(t, err)
	require.Equal(t, watch.Deleted, event.Type)
	event, err = next()
	require.NoError(t, err)
	require.Equal(t, listwatch.Event[any]{Type: watch.Bookmark, ResourceVersion: "9", InitialEventsEnd: true}, event)
	close(own.events)
	for range 2 {
		_, err = next()
		require.Equal(t, io.EOF, err)
	}
	w.Stop()
	w.Stop()
	require.Equal(t, 1, own.stops)
}

func TestWatchesThatFail(t *testing.T) {
	gone := &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired}
	mess := &metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: "cannot decode", Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: causeUndecodable}}}}
	for name, c := range map[string]struct {
		event watch.Event
		check func(error) bool
	}{
		"an ERROR":                  {watch.Event{Type: watch.Error, Object: gone}, apierrors.IsResourceExpired},
		"an ERROR without a Status": {watch.Event{Type: watch.Error, Object: aPod("a")}, apierrors.IsInternalError},
		"an ERROR without anything": {watch.Event{Type: watch.Error}, apierrors.IsInternalError},
		"an ERROR of nil":           {watch.Event{Type: watch.Error, Object: (*metav1.Status)(nil)}, apierrors.IsInternalError},
		"the client's decoder": {watch.Event{Type: watch.Error, Object: mess}, func(err error) bool {
			var u interface{ Undecodable() bool }
			var status apierrors.APIStatus
			return errors.As(err, &u) && u.Undecodable() && !errors.As(err, &status)
		}},
		"a bookmark of nothing": {watch.Event{Type: watch.Bookmark}, func(err error) bool { return err != nil }},
		"a bookmark of nil":     {watch.Event{Type: watch.Bookmark, Object: (*pod)(nil)}, func(err error) bool { return err != nil }},
		"an unknown type":       {watch.Event{Type: "RENAMED", Object: aPod("a")}, func(err error) bool { return err != nil }},
		"no type":               {watch.Event{}, func(err error) bool { return err != nil }},
	} {
		t.Run(name, func(t *testing.T) {
			w, own := watching(t, t.Context(), &pod{}, c.event, watch.Event{Type: watch.Added, Object: at("1")})
			_, err := w.Next(t.Context())
			require.True(t, c.check(err), "%v", err)
			var item *listwatch.ItemError
			require.False(t, errors.As(err, &item), "it is the end of the watch")
			_, again := w.Next(t.Context())
			require.Equal(t, err, again)
			require.Equal(t, 1, own.stops, "without being asked to")
		})
	}
}

// Whatever ends first ends a Next that waits, though the watch does not close its
// channel.
func TestWatchesEnd(t *testing.T) {
	for name, end := range map[string]func(w *listwatch.Watch[any], opener, next context.CancelFunc){
		"by Stop":            func(w *listwatch.Watch[any], _, _ context.CancelFunc) { w.Stop() },
		"with their context": func(_ *listwatch.Watch[any], opener, _ context.CancelFunc) { opener() },
		"with that of Next":  func(_ *listwatch.Watch[any], _, next context.CancelFunc) { next() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opened, endOpened := context.WithCancel(t.Context())
				defer endOpened()
				waits, endWaits := context.WithCancel(t.Context())
				defer endWaits()
				w, own := watching(t, opened, nil)
				ended := make(chan error, 1)
				go func() {
					_, err := w.Next(waits)
					ended <- err
				}()
				synctest.Wait()
				end(w, endOpened, endWaits)
				err := <-ended
				if name == "by Stop" {
					require.Equal(t, io.EOF, err)
				} else {
					require.ErrorIs(t, err, context.Canceled)
				}
				own.events <- watch.Event{Type: watch.Added, Object: at("1")}
				_, err = w.Next(t.Context())
				require.Error(t, err, "it is over")
				synctest.Wait()
				require.Equal(t, 1, own.stops)
			})
		})
	}
}

// A ListWatch of a client is asked for bytes as long as its functions are its own.
func TestWhoIsStreamed(t *testing.T) {
	_, client := serverWithClient(t)
	streamed := func(change func(*ListWatch), o sourceOptions) bool {
		lw := podsOf(client)
		change(lw)
		return listWatchIn(lw) != nil && streamedOf[any](lw, expectationOf[any](o.Expected), 0) != nil
	}
	nothing := func(*ListWatch) {}
	require.True(t, streamed(nothing, sourceOptions{Expected: &pod{}}))
	require.False(t, streamed(nothing, sourceOptions{}), "nobody knows into what to decode")
	require.False(t, streamed(nothing, sourceOptions{Expected: "a string"}))
	own := podsOf(client)
	for name, change := range map[string]func(*ListWatch){
		"ListFunc": func(lw *ListWatch) {
			lw.ListFunc = func(o metav1.ListOptions) (k8sruntime.Object, error) { return own.List(o) }
		},
		"ListWithContextFunc": func(lw *ListWatch) { lw.ListWithContextFunc = nil },
		"WatchFunc": func(lw *ListWatch) {
			lw.WatchFunc = func(o metav1.ListOptions) (watch.Interface, error) { return own.Watch(o) }
		},
		"WatchFuncWithContext": func(lw *ListWatch) { lw.WatchFuncWithContext = nil },
		"the same code":        func(lw *ListWatch) { lw.ListWithContextFunc = own.ListWithContextFunc },
	} {
		require.False(t, streamed(change, sourceOptions{Expected: &pod{}}), name)
	}
	require.Nil(t, listWatchIn(struct{ *ListWatch }{own}), "who embeds one may have changed it")
}

type says bool

func (s says) IsWatchListSemanticsUnSupported() bool { return bool(s) }

// Who does not say that it streams the initial state is listed.
func TestWhoStreamsItsInitialState(t *testing.T) {
	_, client := serverWithClient(t)
	hand := &ListWatch{ListFunc: func(metav1.ListOptions) (k8sruntime.Object, error) { return listOf("1"), nil }}
	for name, c := range map[string]struct {
		lw      ListerWatcher
		streams bool
	}{
		"functions":                     {hand, false},
		"functions of a client":         {ToListWatcherWithWatchListSemantics(hand, client), true},
		"functions of a fake":           {ToListWatcherWithWatchListSemantics(hand, says(true)), false},
		"functions of one that can":     {ToListWatcherWithWatchListSemantics(hand, says(false)), true},
		"a client":                      {podsOf(client), true},
		"a client that is said not to":  {ToListWatcherWithWatchListSemantics(podsOf(client), says(true)), false},
		"somebody else's ListerWatcher": {handMade{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			memory := sourceOf[any](c.lw, sourceOptions{Expected: &pod{}}).(listwatch.WatchListMemory)
			require.Equal(t, c.streams, memory.WatchListTrouble() == "")
		})
	}
}

// A client of ours answers as one of client-go does, where it is asked directly.
func TestListWatchOfOurClientAnswersDirectly(t *testing.T) {
	srv, client := serverWithClient(t)
	lw := podsOf(client)
	list, err := lw.List(metav1.ListOptions{})
	require.NoError(t, err)
	require.IsType(t, &unstructured.Unstructured{}, list)
	w, err := lw.Watch(metav1.ListOptions{ResourceVersion: "1"})
	require.NoError(t, err)
	apitest.Create(t, srv, aPod("a"))
	event := <-w.ResultChan()
	require.Equal(t, watch.Added, event.Type)
	require.Equal(t, "a", event.Object.(*unstructured.Unstructured).GetName())
	w.Stop()
	_, open := <-w.ResultChan()
	require.False(t, open)
	w.Stop()

	_, err = watchInterface("no watch")
	require.ErrorContains(t, err, "a string, which is no watch")
	_, err = NewListWatchFromClient(client, "no/resource", "shop", nil).List(metav1.ListOptions{})
	require.Error(t, err)
}

// The RESTClient of a fake clientset is a nil pointer.
func TestListWatchOfNoClient(t *testing.T) {
	lw := NewListWatchFromClient((*rest.RESTClient)(nil), "pods", "shop", nil)
	_, err := lw.List(metav1.ListOptions{})
	require.ErrorIs(t, err, errNoClient)
	_, err = lw.Watch(metav1.ListOptions{})
	require.ErrorIs(t, err, errNoClient)
	_, err = ToTyped[*pod](lw).List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, errNoClient)
}

// What is watched says what it is only to those who cannot know.
func TestWatchedObjectsAreUntitled(t *testing.T) {
	srv, client := serverWithClient(t)
	apitest.Create(t, srv, aPod("a"))
	for _, c := range []struct {
		expected k8sruntime.Object
		kind     string
	}{{&pod{}, ""}, {&unstructured.Unstructured{}, "Pod"}, {&metav1.PartialObjectMetadata{}, "PartialObjectMetadata"}} {
		w, err := sourceOf[any](podsOf(client), sourceOptions{Expected: c.expected}).Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		event, err := w.Next(t.Context())
		require.NoError(t, err)
		require.IsType(t, c.expected, event.Object)
		require.Equal(t, c.kind, event.Object.(k8sruntime.Object).GetObjectKind().GroupVersionKind().Kind)
		w.Stop()
	}
}
