package cache

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/cache/internal/decoded"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/listwatch/listwatchtest"
	"github.com/thinformer/thinformer/rest"
)

// pod and podList are types of a program, which are not registered in a
// scheme.
type pod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NodeName string `json:"nodeName,omitempty"`
	} `json:"spec"`
}

func (p *pod) DeepCopyObject() runtime.Object { own := *p; return &own }

type podList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []pod `json:"items"`
}

func (l *podList) DeepCopyObject() runtime.Object { own := *l; return &own }

func newPod(name string) *pod {
	return &pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
}

// serverWithClient returns an in-memory server and a client of its core group.
func serverWithClient(t *testing.T) (*apitest.Server, *rest.RESTClient) {
	t.Helper()
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(srv.Close)
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return srv, client.GroupVersion(schema.GroupVersion{Version: "v1"})
}

// testSource runs the conformance tests of package listwatchtest with the
// source that sourceOf returns.
func testSource(t *testing.T, o sourceOptions, lwOf func(*rest.RESTClient) ListerWatcher, watchList bool) {
	listwatchtest.Run(t, func(t *testing.T) listwatchtest.Source[any] {
		srv, client := serverWithClient(t)
		node := 0
		return listwatchtest.Source[any]{
			ListerWatcher: sourceOf[any](lwOf(client), o),
			Name:          func(object any) string { return object.(metav1.Object).GetName() },
			Create: func(name string) error {
				apitest.Create(t, srv, newPod(name))
				return nil
			},
			Update: func(name string) error {
				node++
				apitest.Modify(t, srv, newPod(name), func(p *pod) { p.Labels = map[string]string{"n": string(rune('a' + node))} })
				return nil
			},
			Delete: func(name string) error {
				apitest.Delete(t, srv, newPod(name))
				return nil
			},
			Expire: func() error {
				srv.Compact()
				return nil
			},
			WatchList: watchList,
		}
	})
}

func podListWatch(client *rest.RESTClient) *ListWatch {
	return NewListWatchFromClient(client, "pods", "shop", fields.Everything())
}

// withFunctionsOnly returns a ListWatch with the same functions that was not
// made by NewListWatchFromClient.
func withFunctionsOnly(lw *ListWatch) *ListWatch {
	return &ListWatch{ListWithContextFunc: lw.ListWithContextFunc, WatchFuncWithContext: lw.WatchFuncWithContext}
}

// The source of a ListWatch of a client decodes the responses and passes the
// conformance tests.
func TestSourceOfClientListWatch(t *testing.T) {
	testSource(t, sourceOptions{Expected: &pod{}, PageSize: 2}, func(c *rest.RESTClient) ListerWatcher { return podListWatch(c) }, true)
}

// Without an expected type, the client decodes.
func TestSourceWithoutExpectedType(t *testing.T) {
	testSource(t, sourceOptions{}, func(c *rest.RESTClient) ListerWatcher { return podListWatch(c) }, false)
}

// Functions, with and without a context, are sources.
func TestSourceOfFunctions(t *testing.T) {
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	testSource(t, sourceOptions{Expected: kind, PageSize: 2}, func(c *rest.RESTClient) ListerWatcher { return withFunctionsOnly(podListWatch(c)) }, true)
}

func TestSourceOfFunctionsWithoutContext(t *testing.T) {
	testSource(t, sourceOptions{Expected: &unstructured.Unstructured{}}, func(c *rest.RESTClient) ListerWatcher {
		lw := podListWatch(c)
		return &ListWatch{ListFunc: lw.ListFunc, WatchFunc: lw.WatchFunc}
	}, true)
}

// fakeListWatch returns a ListWatch of functions: a list with version 5, and a
// watch.
func fakeListWatch(stream watch.Interface) *ListWatch {
	return &ListWatch{
		ListFunc: func(metav1.ListOptions) (runtime.Object, error) {
			return &metav1.PartialObjectMetadataList{
				ListMeta: metav1.ListMeta{ResourceVersion: "5"}, Items: []metav1.PartialObjectMetadata{*newObject("a@5")},
			}, nil
		},
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return stream, nil },
	}
}

type semantics bool

func (s semantics) IsWatchListSemanticsUnSupported() bool { return bool(s) }

// Events whose versions decrease, repeat or are empty are delivered as in
// client-go: each immediately, in order, and without a relist.
func TestFakeEventsAreDeliveredImmediately(t *testing.T) {
	empty := newObject("a@5")
	empty.ResourceVersion = ""
	steps := []struct {
		kind      watch.EventType
		newObject *metav1.PartialObjectMetadata
		want      string
	}{
		{watch.Modified, newObject("a@3"), "update a@5 a@3"},
		{watch.Added, newObject("b@3"), "add b@3"},
		{watch.Modified, newObject("b@3"), "update b@3 b@3"},
		{watch.Modified, empty, "update a@3 a@"},
		{watch.Modified, empty, "update a@ a@"},
		{watch.Deleted, newObject("a@1"), "delete a@1"},
		{watch.Deleted, newObject("b@3"), "delete b@3"},
	}
	for name, source := range map[string]func(*ListWatch) ListerWatcher{
		"functions":            func(lw *ListWatch) ListerWatcher { return lw },
		"functions that list":  func(lw *ListWatch) ListerWatcher { return ToListWatcherWithWatchListSemantics(lw, semantics(true)) },
		"without a ListWatch":  func(lw *ListWatch) ListerWatcher { return struct{ ListerWatcher }{lw} },
		"with bookmarks first": func(lw *ListWatch) ListerWatcher { return lw },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stream := watch.NewFake()
				i := NewSharedIndexInformer(source(fakeListWatch(stream)), &metav1.PartialObjectMetadata{}, 0, Indexers{})
				received, _ := addRecorder(t, i, HandlerOptions{})
				defer run(t, i)()
				require.Equal(t, []string{"add a@5 (initial)"}, received.take())
				if name == "with bookmarks first" {
					stream.Action(watch.Bookmark, newObject("-@6"))
				}
				for _, step := range steps {
					stream.Action(step.kind, step.newObject)
					synctest.Wait()
					require.Equal(t, []string{step.want}, received.take())
				}
				time.Sleep(time.Hour)
				require.False(t, stream.IsStopped(), "an idle fake must not be stopped: its next event would panic")
				require.Zero(t, i.(*informerOf[any]).typed.State().Source.Relists)
			})
		})
	}
}

// Versions are ordered for unchanged ListWatches of NewListWatchFromClient.
// They are presumed to be ordered for sources whose
// IsWatchListSemanticsUnSupported returns false.
func TestVersionOrderOfSources(t *testing.T) {
	_, client := serverWithClient(t)
	newListWatch := func() *ListWatch { return NewListWatchFromClient(client, "configmaps", metav1.NamespaceAll, nil) }
	changed := newListWatch()
	changed.WatchFuncWithContext = nil
	for name, c := range map[string]struct {
		lw   ListerWatcher
		want listwatch.VersionOrder
	}{
		"NewListWatchFromClient":                 {newListWatch(), listwatch.Ordered},
		"NewListWatchFromClient, with semantics": {ToListWatcherWithWatchListSemantics(newListWatch(), semantics(true)), listwatch.Ordered},
		"NewListWatchFromClient, changed":        {changed, listwatch.UnknownOrder},
		"functions":                              {fakeListWatch(nil), listwatch.UnknownOrder},
		"functions that stream":                  {ToListWatcherWithWatchListSemantics(fakeListWatch(nil), client), listwatch.PresumedOrdered},
		"functions that list":                    {ToListWatcherWithWatchListSemantics(fakeListWatch(nil), semantics(true)), listwatch.UnknownOrder},
	} {
		source := ToTyped[*metav1.PartialObjectMetadata](c.lw)
		order := source.(listwatch.VersionOrderer).VersionOrder()
		require.Equal(t, c.want, order, name)
		narrowed := listwatch.Modify(source, nil)
		require.Equal(t, c.want, narrowed.VersionOrder(), "%s, modified", name)
	}
}

// Raw responses are requested only while the functions of the ListWatch are
// unchanged.
func TestRawResponsesNeedUnchangedFunctions(t *testing.T) {
	_, client := serverWithClient(t)
	streamed := func(change func(*ListWatch), o sourceOptions) bool {
		lw := podListWatch(client)
		change(lw)
		return listWatchIn(lw) != nil && streamedOf[any](lw, decoded.ExpectedTypeOf[any](o.Expected), 0) != nil
	}
	nothing := func(*ListWatch) {}
	require.True(t, streamed(nothing, sourceOptions{Expected: &pod{}}))
	require.False(t, streamed(nothing, sourceOptions{}), "without an expected type")
	require.False(t, streamed(nothing, sourceOptions{Expected: "a string"}))
	own := podListWatch(client)
	for name, change := range map[string]func(*ListWatch){
		"ListFunc": func(lw *ListWatch) {
			lw.ListFunc = func(o metav1.ListOptions) (runtime.Object, error) { return own.List(o) }
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
	require.Nil(t, listWatchIn(struct{ *ListWatch }{own}), "a type that embeds a ListWatch")
}

// A source that does not report that it streams initial events is listed.
func TestSourcesThatStreamInitialEvents(t *testing.T) {
	_, client := serverWithClient(t)
	fromFunctions := &ListWatch{ListFunc: func(metav1.ListOptions) (runtime.Object, error) { return podListOf("1"), nil }}
	for name, c := range map[string]struct {
		lw      ListerWatcher
		streams bool
	}{
		"functions":                          {fromFunctions, false},
		"functions of a client":              {ToListWatcherWithWatchListSemantics(fromFunctions, client), true},
		"functions of a fake":                {ToListWatcherWithWatchListSemantics(fromFunctions, semantics(true)), false},
		"functions of a client that streams": {ToListWatcherWithWatchListSemantics(fromFunctions, semantics(false)), true},
		"a client":                           {podListWatch(client), true},
		"a client that does not stream":      {ToListWatcherWithWatchListSemantics(podListWatch(client), semantics(true)), false},
		"another ListerWatcher":              {funcSource{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			memory := sourceOf[any](c.lw, sourceOptions{Expected: &pod{}}).(listwatch.WatchListRecorder)
			require.Equal(t, c.streams, memory.WatchListUnsupported() == "")
		})
	}
}

// Watched objects have no kind if their Go type implies it.
func TestWatchedObjectsHaveNoTypeMeta(t *testing.T) {
	srv, client := serverWithClient(t)
	apitest.Create(t, srv, newPod("a"))
	for _, c := range []struct {
		expected runtime.Object
		kind     string
	}{{&pod{}, ""}, {&unstructured.Unstructured{}, "Pod"}, {&metav1.PartialObjectMetadata{}, "PartialObjectMetadata"}} {
		w, err := sourceOf[any](podListWatch(client), sourceOptions{Expected: c.expected}).Watch(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		event, err := w.Next(t.Context())
		require.NoError(t, err)
		require.IsType(t, c.expected, event.Object)
		require.Equal(t, c.kind, event.Object.(runtime.Object).GetObjectKind().GroupVersionKind().Kind)
		w.Stop()
	}
}
