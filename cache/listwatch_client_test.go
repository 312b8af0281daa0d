package cache

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/cache/internal/decoded"
	"github.com/thinformer/thinformer/internal/attempt"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// The error for a misspelled resource contains its name and keeps its type.
func TestErrorNamesResource(t *testing.T) {
	_, client := serverWithClient(t)
	lw := NewListWatchFromClient(client, "podz", "shop", fields.Everything())
	send := func() error {
		_, err := lw.rawRequestFunc()(t.Context(), metav1.ListOptions{}, "application/json")
		return err
	}
	list := func() error { _, err := lw.List(metav1.ListOptions{}); return err }
	watch := func() error { _, err := lw.Watch(metav1.ListOptions{}); return err }
	for name, ask := range map[string]func() error{"send": send, "list": list, "watch": watch} {
		err := ask()
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), "podz", name)
		assert.True(t, apierrors.IsNotFound(err), "%s: %v", name, err)
	}
}

// Two informers of one resource in two namespaces have different names. A name
// in the options is not changed.
func TestInformersOfTwoNamespacesHaveDifferentNames(t *testing.T) {
	client := (*rest.RESTClient)(nil)
	name := func(lw ListerWatcher, description string) string {
		inf := NewSharedIndexInformerWithOptions(lw, &metav1.PartialObjectMetadata{}, SharedIndexInformerOptions{ObjectDescription: description})
		return inf.(*informerOf[any]).typed.State().Name
	}
	newListWatch := func(namespace string) ListerWatcher { return NewListWatchFromClient(client, "pods", namespace, nil) }
	require.Equal(t, "*v1.PartialObjectMetadata", name(newListWatch(metav1.NamespaceAll), ""))
	require.Equal(t, "*v1.PartialObjectMetadata -n a", name(newListWatch("a"), ""))
	require.Equal(t, "*v1.PartialObjectMetadata -n b", name(ToListWatcherWithWatchListSemantics(newListWatch("b").(*ListWatch), nil), ""))
	require.Equal(t, "mine", name(newListWatch("b"), "mine"))
	require.Equal(t, "*v1.PartialObjectMetadata", name((*ListWatch)(nil), ""))
}

// foreignClient is a client of another library.
type foreignClient struct{ name string }

func (c *foreignClient) Get() *foreignRequest { return &foreignRequest{} }

type foreignRequest struct{ address string }

func (r *foreignRequest) URL() *url.URL {
	address, err := url.Parse(r.address)
	if err != nil {
		panic(err)
	}
	return address
}

// foreignValue is a client that is not a pointer.
type foreignValue struct{}

func (foreignValue) Get() *foreignRequest { return &foreignRequest{} }

// foreignGroup is a client of one group, as those of a clientset are.
type foreignGroup struct {
	Client         *http.Client
	address, group string
}

func (c *foreignGroup) Get() *foreignRequest { return &foreignRequest{c.address} }

func (c *foreignGroup) APIVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: c.group, Version: "v1"}
}

func (r *foreignRequest) Namespace(string) *foreignRequest { return r }

func (r *foreignRequest) Resource(string) *foreignRequest { return r }

func (r *foreignRequest) VersionedParams(apiruntime.Object, apiruntime.ParameterCodec) *foreignRequest {
	return r
}

func (r *foreignRequest) SetHeader(string, ...string) *foreignRequest { return r }

func (r *foreignRequest) Stream(context.Context) (io.ReadCloser, error) {
	return nil, io.ErrUnexpectedEOF
}

func (r *foreignRequest) Watch(context.Context) (any, error) { return nil, io.ErrUnexpectedEOF }

func (r *foreignRequest) Do(context.Context) foreignAnswer { return foreignAnswer{} }

type foreignAnswer struct{}

func (foreignAnswer) Get() (apiruntime.Object, error) { return nil, io.ErrUnexpectedEOF }

func recoveryOfSource(lw ListerWatcher) *rest.Recovery {
	return ToTyped[*pod](lw).(listwatch.Recoverable).Recovery()
}

// Sources of one client of another library share a Recovery, identified by the
// pointer. Sources of functions share none.
func TestSourcesOfOneClientShareRecovery(t *testing.T) {
	a, b := &foreignClient{"a"}, &foreignClient{"b"}
	newListWatch := func(c *foreignClient) *ListWatch {
		return NewListWatchFromClient(c, "pods", "default", fields.Everything())
	}
	first, second := newListWatch(a), newListWatch(a)
	require.NotNil(t, recoveryOfSource(first))
	require.Same(t, recoveryOfSource(first), recoveryOfSource(second))
	require.NotSame(t, recoveryOfSource(first), recoveryOfSource(newListWatch(b)))
	require.Same(t, recoveryOfSource(first), recoveryOfSource(ToListWatcherWithWatchListSemantics(newListWatch(a), nil)))
	require.Same(t, recoveryOfSource(first), listwatch.Modify(ToTyped[*pod](first), func(*metav1.ListOptions) {}).Recovery())

	list := second.ListWithContextFunc
	second.ListWithContextFunc = func(ctx context.Context, o metav1.ListOptions) (apiruntime.Object, error) { return list(ctx, o) }
	require.Nil(t, recoveryOfSource(second), "a changed ListWatch")
	require.Nil(t, recoveryOfSource(&ListWatch{}))
	require.Nil(t, recoveryOf(foreignValue{}), "a client that is not a pointer")
}

// A source of a client of package rest has the Recovery of the client, in the
// group of the RESTClient.
func TestSourceSharesRecoveryWithClient(t *testing.T) {
	client, err := rest.New(&rest.Config{Host: "http://server"})
	require.NoError(t, err)
	defer client.Close()
	lw := NewListWatchFromClient(client.GroupVersion(schema.GroupVersion{Group: "apps", Version: "v1"}), "deployments", "default", fields.Everything())
	require.Equal(t, client.Recovery().InGroup("apps"), recoveryOfSource(lw))
}

// A modifier that replaces all options does not turn a watch into a list.
func TestModifierKeepsWatch(t *testing.T) {
	srv, client := serverWithClient(t)
	lw := NewFilteredListWatchFromClient(client, "pods", "shop", func(o *metav1.ListOptions) {
		*o = metav1.ListOptions{LabelSelector: "app=web"}
	})
	for _, send := range []func() error{
		func() error {
			return closeBody(lw.rawRequestFunc()(t.Context(), metav1.ListOptions{Watch: true}, "application/json"))
		},
		func() error {
			w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
			if err == nil {
				w.Stop()
			}
			return err
		},
	} {
		require.NoError(t, send())
	}
	for _, request := range srv.Requests(apitest.Match{}) {
		require.Equal(t, "watch", request.Verb)
	}
	require.Len(t, srv.Requests(apitest.Match{}), 2)
}

func closeBody(body io.ReadCloser, err error) error {
	if err != nil {
		return err
	}
	return body.Close()
}

// The clients of all groups of a server have one http.Client, as in a clientset:
// they share a Recovery, each in its group. Clients of other servers, also of
// those with another path on the same host, and other http.Clients of the same
// server have another one.
func TestGroupsOfOneServerShareRecovery(t *testing.T) {
	one, other := &http.Client{}, &http.Client{}
	newListWatch := func(client *http.Client, address, group string) *ListWatch {
		return NewListWatchFromClient(&foreignGroup{client, address, group}, "pods", "default", fields.Everything())
	}
	first := recoveryOfSource(newListWatch(one, "https://server/clusters/a/api/v1", ""))
	second := recoveryOfSource(newListWatch(one, "https://server/clusters/a/apis/apps/v1/", "apps"))
	require.Equal(t, first.InGroup("apps"), second.InGroup("apps"))
	require.NotEqual(t, first, second, "their groups differ")
	for _, different := range []*ListWatch{
		newListWatch(one, "https://standby/clusters/a/api/v1", ""),
		newListWatch(one, "https://server/clusters/b/api/v1", ""),
		newListWatch(other, "https://server/clusters/a/api/v1", ""),
		newListWatch(nil, "https://server/clusters/a/api/v1", ""),
	} {
		require.NotEqual(t, first.InGroup(""), recoveryOfSource(different).InGroup(""))
	}
}

// The Recovery of a server is in use as long as that of one of its groups is.
func TestRecoveryOfAGroupKeepsThatOfTheServer(t *testing.T) {
	var table recoveryTable
	client := &foreignClient{"kept"}
	group := table.get(client).InGroup("apps")
	for range 5 {
		runtime.GC()
	}
	require.Equal(t, group, table.get(client).InGroup("apps"))
}

// The Recovery of an unused client is released.
func TestRecoveryIsReleasedWithItsSources(t *testing.T) {
	var table recoveryTable
	client := &foreignClient{"released"}
	shared := table.get(client)
	require.Same(t, shared, table.get(client))
	runtime.KeepAlive(shared)
	shared = nil
	require.Eventually(t, func() bool {
		runtime.GC()
		table.mu.Lock()
		defer table.mu.Unlock()
		return len(table.known) == 0
	}, 10*time.Second, time.Millisecond)
	require.NotNil(t, table.get(client), "a new Recovery after the release")
}

// busyServer responds to every request with 429 and counts them.
type busyServer struct{ requests int }

func (b *busyServer) RoundTrip(r *http.Request) (*http.Response, error) {
	b.requests++
	return &http.Response{
		StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}},
		Body: io.NopCloser(strings.NewReader("busy")), Request: r,
	}, nil
}

// A reflector marks its requests, so that each attempt is one request, also
// through a ListWatch of this package.
func TestReflectorRequestsAreNotRetriedByTheClient(t *testing.T) {
	newListWatch := func(c *rest.RESTClient) *ListWatch {
		return NewListWatchFromClient(c, "pods", "default", fields.Everything())
	}
	changed := func(c *rest.RESTClient) *ListWatch {
		lw := newListWatch(c)
		list := lw.ListWithContextFunc
		lw.ListWithContextFunc = func(ctx context.Context, o metav1.ListOptions) (apiruntime.Object, error) { return list(ctx, o) }
		return lw
	}
	for name, sourceOf := range map[string]func(*rest.RESTClient) *ListWatch{"decoded here": newListWatch, "decoded by the client": changed} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &busyServer{}
				client, err := rest.New(&rest.Config{Host: "http://server", Transport: server})
				require.NoError(t, err)
				defer client.Close()
				source := ToTyped[*pod](sourceOf(client.GroupVersion(schema.GroupVersion{Version: "v1"})))
				ctx := attempt.Once(t.Context())
				_, err = source.List(ctx, metav1.ListOptions{})
				require.Error(t, err)
				require.Equal(t, 1, server.requests, "a list")
				_, err = source.Watch(ctx, metav1.ListOptions{})
				require.Error(t, err)
				require.Equal(t, 2, server.requests, "a list and a watch")
			})
		})
	}
}

// A ListWatch of a client of package rest returns the same results as one of
// client-go.
func TestListWatchOfRESTClient(t *testing.T) {
	srv, client := serverWithClient(t)
	lw := podListWatch(client)
	list, err := lw.List(metav1.ListOptions{})
	require.NoError(t, err)
	require.IsType(t, &unstructured.Unstructured{}, list)
	w, err := lw.Watch(metav1.ListOptions{ResourceVersion: "1"})
	require.NoError(t, err)
	apitest.Create(t, srv, newPod("a"))
	event := <-w.ResultChan()
	require.Equal(t, watch.Added, event.Type)
	require.Equal(t, "a", event.Object.(*unstructured.Unstructured).GetName())
	w.Stop()
	_, open := <-w.ResultChan()
	require.False(t, open)
	w.Stop()

	_, err = decoded.WatchInterface("no watch")
	require.ErrorContains(t, err, "a string, which is not a watch")
	_, err = NewListWatchFromClient(client, "no/resource", "shop", nil).List(metav1.ListOptions{})
	require.Error(t, err)
}

// The RESTClient of a fake clientset is a nil pointer.
func TestListWatchOfNilClient(t *testing.T) {
	lw := NewListWatchFromClient((*rest.RESTClient)(nil), "pods", "shop", nil)
	_, err := lw.List(metav1.ListOptions{})
	require.ErrorIs(t, err, errNoClient)
	_, err = lw.Watch(metav1.ListOptions{})
	require.ErrorIs(t, err, errNoClient)
	_, err = ToTyped[*pod](lw).List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, errNoClient)
}
